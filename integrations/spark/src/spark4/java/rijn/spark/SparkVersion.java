package rijn.spark;

import com.fasterxml.jackson.core.StreamReadConstraints;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/** What differs between versions of Spark, besides SparkExpression: here for Spark 4 with Scala 2.13. */
final class SparkVersion {
    static final String SPARK = "4";
    static final String SCALA = "2.13";

    private SparkVersion() {}

    /** Makes an expression from a call's arguments. */
    private static final class Builder extends AbstractFunction1<Seq<Expression>, Expression> {
        private final Function<List<Expression>, Expression> make;

        Builder(Function<List<Expression>, Expression> make) {
            this.make = make;
        }

        @Override
        public Expression apply(Seq<Expression> arguments) {
            return make.apply(CollectionConverters.asJava(arguments));
        }
    }

    static void inject(
            SparkSessionExtensions extensions,
            ExpressionInfo info,
            Function<List<Expression>, Expression> make) {
        extensions.injectFunction(
                new Tuple3<>(new FunctionIdentifier(info.getName()), info, new Builder(make)));
    }

    static void register(
            SparkSession session, ExpressionInfo info, Function<List<Expression>, Expression> make) {
        registry(session).registerFunction(new FunctionIdentifier(info.getName()), info, new Builder(make));
    }

    static FunctionRegistry registry(SparkSession session) {
        return ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .functionRegistry();
    }

    /** Returns limits for names in JSON. */
    static StreamReadConstraints.Builder jsonLimits(int mostName) {
        return StreamReadConstraints.builder().maxNameLength(mostName);
    }
}
