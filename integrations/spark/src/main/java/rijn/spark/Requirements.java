package rijn.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.apache.spark.sql.SparkSession;

/** The Spark and Scala that this jar needs. Others fail later, with a ClassCastException. */
final class Requirements {
    private static final String SPARK_FILE = "spark-version-info.properties";

    private Requirements() {}

    /** Throws IllegalStateException if this is another Spark or Scala. */
    static void check() {
        check(spark(), scala.util.Properties.versionNumberString());
    }

    static void check(String spark, String scala) {
        if (!spark.startsWith(SparkVersion.SPARK + ".") || !scala.startsWith(SparkVersion.SCALA + ".")) {
            throw new IllegalStateException("rijn-spark_" + SparkVersion.SCALA + " needs Apache Spark "
                    + SparkVersion.SPARK + " with Scala " + SparkVersion.SCALA + "; this is Spark " + spark
                    + " with Scala " + scala);
        }
    }

    /** Returns Spark's version. A session would tell it too, but there may be none yet. */
    private static String spark() {
        try (InputStream file = SparkSession.class.getClassLoader().getResourceAsStream(SPARK_FILE)) {
            if (file == null) {
                return "of an unknown version";
            }
            Properties found = new Properties();
            found.load(file);
            return found.getProperty("version", "of an unknown version");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
