package rijn.spark;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** The function rijn_backend. It names the implementation in the JVM of the executor. */
public final class RijnBackend extends SparkExpression {
    private static final long serialVersionUID = 1;

    private final String use;

    RijnBackend(String use) {
        super(List.of());
        this.use = use;
    }

    /** Returns the result. Public for the code that Spark generates. */
    public UTF8String told() {
        return UTF8String.fromString(Library.backend(Library.Use.named(use)));
    }

    @Override
    public boolean deterministic() {
        return false;
    }

    @Override
    public boolean foldable() {
        return false;
    }

    @Override
    public boolean nullable() {
        return false;
    }

    @Override
    public DataType dataType() {
        return DataTypes.StringType;
    }

    @Override
    public Object eval(InternalRow row) {
        return told();
    }

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode result) {
        String self = context.addReferenceObj("rijnBackend", this, RijnBackend.class.getName());
        String code = "boolean " + result.isNull() + " = false;\nUTF8String " + result.value() + " = "
                + self + ".told();\n";
        return result.copy(block(code), result.isNull(), result.value());
    }

    @Override
    public String prettyName() {
        return "rijn_backend";
    }

    @Override
    Expression with(List<Expression> arguments) {
        return this;
    }

    @Override
    public int productArity() {
        return 0;
    }

    @Override
    public Object productElement(int n) {
        throw new IndexOutOfBoundsException(n);
    }

    @Override
    public Expression clone() {
        return new RijnBackend(use);
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof RijnBackend;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RijnBackend it && use.equals(it.use);
    }

    @Override
    public int hashCode() {
        return use.hashCode();
    }

    @Override
    public String toString() {
        return "rijn_backend()";
    }

    @Override
    public String sql() {
        return toString();
    }
}
