package rijn.spark;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** The function rijn_open. A row that is not genuine is an error. */
public final class RijnOpen extends RowFunction {
    private static final long serialVersionUID = 1;

    RijnOpen(Reference reference, List<Expression> arguments) {
        super(reference, arguments);
    }

    @Override
    public String name() {
        return "rijn_open";
    }

    @Override
    String method() {
        return "open";
    }

    @Override
    byte[] apply(Worker worker, Object value, Object aad) {
        return worker.open(value, aad);
    }

    @Override
    RowFunction with(List<Expression> arguments) {
        return new RijnOpen(reference, arguments);
    }
}
