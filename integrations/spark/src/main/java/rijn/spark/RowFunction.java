package rijn.spark;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;

/**
 * The functions rijn_seal, rijn_open and rijn_try_open, of a value and an optional aad. They are not
 * foldable: plans would show opened values.
 */
abstract class RowFunction extends SparkExpression implements UserDefinedExpression {
    private static final long serialVersionUID = 1;

    final Reference reference;
    private transient Worker worker;

    RowFunction(Reference reference, List<Expression> arguments) {
        super(arguments);
        this.reference = reference;
    }

    /** Returns the name of the method of Worker that this calls with a value and its aad. */
    abstract String method();

    abstract byte[] apply(Worker worker, Object value, Object aad);

    private Expression value() {
        return arguments().get(0);
    }

    private Expression aad() {
        return arguments().size() > 1 ? arguments().get(1) : null;
    }

    @Override
    public boolean foldable() {
        return false;
    }

    /** Overrides a method of Spark 4's Expression, which Spark 3.5 does not have. */
    public boolean throwable() {
        return true;
    }

    @Override
    public boolean nullable() {
        return value().nullable();
    }

    @Override
    public DataType dataType() {
        return DataTypes.BinaryType;
    }

    @Override
    public TypeCheckResult checkInputDataTypes() {
        for (Expression each : arguments()) {
            DataType type = each.dataType();
            if (!(type instanceof StringType || type instanceof BinaryType || type instanceof NullType)) {
                return new TypeCheckResult.TypeCheckFailure(
                        name() + " takes STRING and BINARY, not " + type.sql() + ": CAST it");
            }
        }
        return TypeCheckResult.TypeCheckSuccess$.MODULE$;
    }

    @Override
    public Object eval(InternalRow row) {
        Object found = value().eval(row);
        if (found == null) {
            return null;
        }
        Object associated = null;
        if (aad() != null) {
            associated = aad().eval(row);
            if (associated == null) {
                return Worker.refuseNull();
            }
        }
        return apply(startedWorker(), found, associated);
    }

    private synchronized Worker startedWorker() {
        if (worker == null || worker.closed()) {
            worker = Worker.start(reference);
        }
        return worker;
    }

    /** Like eval. Each object of the generated class has its own Worker, so each task has one. */
    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode result) {
        ExprCode value = value().genCode(context);
        ExprCode aad = aad() == null ? null : aad().genCode(context);
        String worker = context.addMutableState(
                Worker.class.getName(),
                "rijnWorker",
                context.addMutableState$default$3(),
                context.addMutableState$default$4(),
                context.addMutableState$default$5());
        String origin = context.addReferenceObj("rijnReference", reference, "Object");
        String code = value.code()
                + "\nbyte[] " + result.value() + " = null;"
                + "\nif (!(" + value.isNull() + ")) {\n"
                + (aad == null ? "" : aad.code() + "\nif (" + aad.isNull() + ") {"
                        + Worker.class.getName() + ".refuseNull(); }\n")
                + "if (" + worker + " == null) {"
                + worker + " = " + Worker.class.getName() + ".start(" + origin + "); }\n"
                + result.value() + " = " + worker + "." + method() + "(" + value.value() + ", "
                + (aad == null ? "null" : aad.value()) + ");\n}"
                + "\nboolean " + result.isNull() + " = " + result.value() + " == null;\n";
        return result.copy(block(code), result.isNull(), result.value());
    }

    // ---- Text ------------------------------------------------------------------------------

    @Override
    public String prettyName() {
        return name();
    }

    private String text(Function<Expression, String> argument) {
        StringBuilder text = new StringBuilder(name()).append('(').append(argument.apply(value()));
        text.append(", '").append(reference.name).append("', ").append(context());
        return (aad() == null ? text : text.append(", ").append(argument.apply(aad())))
                .append(')')
                .toString();
    }

    private String context() {
        return reference.context == null
                ? "NULL"
                : "X'" + HexFormat.of().withUpperCase().formatHex(reference.context) + "'";
    }

    @Override
    public String toString() {
        return text(Expression::toString);
    }

    @Override
    public String sql() {
        return text(Expression::sql);
    }

    // ---- The methods of Scala's case classes. It has no fields: a plan in JSON would look for the
    // ---- names that Scala gives to the parameters of a constructor

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
        List<Expression> copies = new ArrayList<>();
        for (Expression each : arguments()) {
            copies.add(each.clone());
        }
        return with(copies);
    }

    @Override
    public boolean canEqual(Object other) {
        return other != null && getClass() == other.getClass();
    }

    @Override
    public boolean equals(Object other) {
        return canEqual(other)
                && reference.equals(((RowFunction) other).reference)
                && arguments().equals(((RowFunction) other).arguments());
    }

    @Override
    public int hashCode() {
        return 31 * name().hashCode() + arguments().hashCode();
    }
}
