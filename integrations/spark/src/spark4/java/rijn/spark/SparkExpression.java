package rijn.spark;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.Block;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeBlock;
import org.apache.spark.sql.catalyst.expressions.codegen.JavaCode;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** The part of an expression that depends on Scala's lists: here of Spark 4 with Scala 2.13. */
abstract class SparkExpression extends Expression implements java.io.Serializable {
    private static final long serialVersionUID = 1;

    private final Seq<Expression> arguments;

    SparkExpression(List<Expression> arguments) {
        this.arguments = CollectionConverters.asScala(arguments).toSeq();
    }

    final List<Expression> arguments() {
        return CollectionConverters.asJava(arguments);
    }

    abstract Expression with(List<Expression> arguments);

    @Override
    public Seq<Expression> children() {
        return arguments;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
        return with(CollectionConverters.asJava(children));
    }

    static Block block(String code) {
        return new CodeBlock(
                CollectionConverters.asScala(List.of(code)).toSeq(),
                CollectionConverters.asScala(List.<JavaCode>of()).toSeq());
    }
}
