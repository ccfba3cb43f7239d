package rijn.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which versions of Spark and Scala load the functions. */
class RequirementsTest {
    @Test
    void thisSparkIsRight() {
        Requirements.check();
    }

    @ParameterizedTest
    @ValueSource(strings = {".0", ".3.0", ".4.0-SNAPSHOT"})
    void others(String rest) {
        Requirements.check(SparkVersion.SPARK + rest, SparkVersion.SCALA + rest);
    }

    private static List<Arguments> wrong() {
        String spark = SparkVersion.SPARK + ".0";
        String scala = SparkVersion.SCALA + ".18";
        return List.of(
                Arguments.of("3.4.4", scala),
                Arguments.of(SparkVersion.SPARK + "0.0", scala),
                Arguments.of("of an unknown version", scala),
                Arguments.of(spark, "2.11.12"),
                Arguments.of(spark, SparkVersion.SCALA + "0"),
                Arguments.of(spark, "3.3.1"),
                SparkVersion.SCALA.equals("2.13")
                        ? Arguments.of("3.5.7", "2.12.18")
                        : Arguments.of("4.0.0", "2.13.16"));
    }

    @ParameterizedTest
    @MethodSource
    void wrong(String spark, String scala) {
        var error =
                assertThrows(IllegalStateException.class, () -> Requirements.check(spark, scala));
        assertEquals(
                "rijn-spark_" + SparkVersion.SCALA + " needs Apache Spark " + SparkVersion.SPARK
                        + " with Scala " + SparkVersion.SCALA + "; this is Spark " + spark
                        + " with Scala " + scala,
                error.getMessage());
    }
}
