package rijn.spark;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.Block;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeBlock;
import org.apache.spark.sql.catalyst.expressions.codegen.JavaCode;
import scala.collection.IndexedSeq;
import scala.collection.JavaConverters;
import scala.collection.Seq;

/** The part of an expression that depends on Scala's lists: here of Spark 3.5 with Scala 2.12. */
abstract class SparkExpression extends Expression implements java.io.Serializable {
    private static final long serialVersionUID = 1;

    private final Seq<Expression> arguments;

    SparkExpression(List<Expression> arguments) {
        this.arguments = JavaConverters.asScalaBuffer(arguments).toList(); // toSeq would not copy
    }

    final List<Expression> arguments() {
        return JavaConverters.seqAsJavaList(arguments);
    }

    abstract Expression with(List<Expression> arguments);

    @Override
    public Seq<Expression> children() {
        return arguments;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
        return with(JavaConverters.seqAsJavaList(children));
    }

    static Block block(String code) {
        return new CodeBlock(
                JavaConverters.asScalaBuffer(List.of(code)).toSeq(),
                JavaConverters.asScalaBuffer(List.<JavaCode>of()).toSeq());
    }
}
