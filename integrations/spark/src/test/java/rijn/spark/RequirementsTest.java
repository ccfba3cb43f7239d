package rijn.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which versions of Spark and Scala load the functions. */
class RequirementsTest {
    @Test
    void thisSparkIsRight() {
        Requirements.check();
    }

    @ParameterizedTest
    @CsvSource({"4.0.0, 2.13.16", "4.3.0, 2.13.18", "4.4.0-SNAPSHOT, 2.13.0"})
    void others(String spark, String scala) {
        Requirements.check(spark, scala);
    }

    @ParameterizedTest
    @CsvSource({
        "3.5.7, 2.12.18",
        "3.5.7, 2.13.8",
        "40.0.0, 2.13.16",
        "4.0.0, 2.12.18",
        "4.0.0, 3.3.1",
        "of an unknown version, 2.13.16",
    })
    void wrong(String spark, String scala) {
        var error =
                assertThrows(IllegalStateException.class, () -> Requirements.check(spark, scala));
        assertEquals(
                "rijn-spark_2.13 needs Apache Spark 4 with Scala 2.13; this is Spark " + spark + " with Scala "
                        + scala,
                error.getMessage());
    }
}
