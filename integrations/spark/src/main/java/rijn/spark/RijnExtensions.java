package rijn.spark;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Adds Rijn's functions to Spark SQL. Set spark.sql.extensions=rijn.spark.RijnExtensions, or call
 * register for a running session.
 *
 * <pre>
 * rijn_seal(value, keyset, context[, aad[, format]])      BINARY
 * rijn_open(row, keyset, context[, aad[, format]])        BINARY; an error if a row is not genuine
 * rijn_try_open(row, keyset, context[, aad[, format]])    BINARY; NULL if a row is not genuine
 * rijn_backend()                                          STRING
 * </pre>
 *
 * <p>keyset is the NAME of spark.rijn.keyset.NAME. The default format is spark.rijn.format.NAME, or
 * xaes if that is not set.
 */
public final class RijnExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    private static final String KEYSET = "spark.rijn.keyset.";
    private static final String FORMAT = "spark.rijn.format.";
    private static final String NATIVE = "spark.rijn.native";
    private static final Pattern SOURCES =
            Pattern.compile("\\s*(/|env:[A-Za-z_])[^,]*(,\\s*(/|env:[A-Za-z_])[^,]*)*");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]+");

    /** A function, and what makes an expression from a call's arguments. */
    private record Function(
            String name, String usage, java.util.function.Function<List<Expression>, Expression> make) {
        ExpressionInfo info() {
            return new ExpressionInfo(
                    RijnExtensions.class.getName(), null, name, usage, "", "", "", "", "", "", "java_udf");
        }
    }

    /** Checks Spark first, because the functions' classes would not load in another one. */
    private static List<Function> functions() {
        Requirements.check();
        return List.of(
                row("rijn_seal", "Seals a value with the keyset's primary key", RijnSeal::new),
                row("rijn_open", "Opens a sealed row; an error if it is not genuine", RijnOpen::new),
                row("rijn_try_open", "Opens a sealed row; NULL if it is not genuine", RijnTryOpen::new),
                new Function("rijn_backend", "_FUNC_() - Names the implementation on the executors.",
                        RijnExtensions::backend));
    }

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        for (Function function : functions()) {
            SparkVersion.inject(extensions, function.info(), function.make());
        }
        return BoxedUnit.UNIT;
    }

    /** Adds the functions to a running session, and to no other session. */
    public static void register(SparkSession session) {
        for (Function function : functions()) {
            SparkVersion.register(session, function.info(), function.make());
        }
    }

    // ---- Calls -----------------------------------------------------------------------------

    private static Function row(
            String name, String what, BiFunction<Reference, List<Expression>, Expression> make) {
        String usage = "_FUNC_(value, keyset, context[, aad[, format]]) - " + what
                + ". keyset is the NAME of a setting spark.rijn.keyset.NAME.";
        return new Function(name, usage, arguments -> {
            int count = arguments.size();
            if (count < 3 || count > 5) {
                throw new IllegalArgumentException(
                        name + " takes the arguments value, keyset, context[, aad[, format]]");
            }
            byte[] format = count < 5 ? null : constant(name, "format", arguments.get(4));
            if (count == 5 && format == null) {
                throw new IllegalArgumentException("the format of " + name
                        + " is NULL: give a format, or omit it for the configured one");
            }
            Reference reference = reference(
                    name,
                    constant(name, "keyset", arguments.get(1)),
                    constant(name, "context", arguments.get(2)),
                    format);
            List<Expression> rows = count == 3
                    ? List.of(arguments.get(0))
                    : List.of(arguments.get(0), arguments.get(3));
            return make.apply(reference, rows);
        });
    }

    private static Expression backend(List<Expression> arguments) {
        if (!arguments.isEmpty()) {
            throw new IllegalArgumentException("rijn_backend takes no argument");
        }
        return new RijnBackend(use().title());
    }

    /** Returns the bytes of a constant of STRING or BINARY, or null for NULL. */
    private static byte[] constant(String function, String name, Expression given) {
        boolean text = given.resolved()
                && given.foldable()
                && (given.dataType() instanceof StringType
                        || given.dataType() instanceof BinaryType
                        || given.dataType() instanceof NullType);
        if (!text) {
            throw new IllegalArgumentException(
                    "the " + name + " of " + function + " must be a constant of STRING or BINARY");
        }
        Object value = given.eval(null);
        return value instanceof UTF8String string ? string.getBytes() : (byte[]) value;
    }

    /**
     * Returns the keyset and format that the session's configuration names. Messages contain no
     * configured value.
     */
    private static Reference reference(
            String function, byte[] keyset, byte[] context, byte[] called) {
        String name = keyset == null ? "" : new String(keyset, StandardCharsets.UTF_8);
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("the keyset of " + function
                    + " must be the NAME of a setting " + KEYSET
                    + "NAME, with letters, digits, '_', '.' and '-'");
        }
        String sources = configured(KEYSET + name, "");
        if (sources.isEmpty()) {
            String shown = Names.shown(name);
            String set = KEYSET + (shown.equals(name) ? name : "NAME");
            throw new IllegalArgumentException("there is no keyset " + shown + ": set " + set
                    + " to a file's absolute path, or to env: and a variable's name");
        }
        if (!SOURCES.matcher(sources).matches()) {
            throw new IllegalArgumentException(KEYSET + name
                    + " must be a file's absolute path, or env: and a variable's name, or several"
                    + " of these with commas; never a keyset itself");
        }
        Format format = Format.named(called == null
                ? configured(FORMAT + name, Format.XAES.title)
                : new String(called, StandardCharsets.UTF_8));
        if (format.framed && context == null) {
            throw new IllegalArgumentException(
                    "format " + format.title + " needs a context: the column's name");
        }
        return new Reference(name, sources, format, context, use());
    }

    private static Library.Use use() {
        return Library.Use.named(configured(NATIVE, Library.Use.AUTO.title()));
    }

    /**
     * Reads a setting of the session. While a view is resolved, SQLConf.get() would return the setting
     * from the view's creation.
     */
    private static String configured(String key, String otherwise) {
        Option<SparkSession> session = SparkSession.getActiveSession();
        return session.isDefined()
                ? session.get().conf().get(key, otherwise)
                : SQLConf.get().getConfString(key, otherwise);
    }
}
