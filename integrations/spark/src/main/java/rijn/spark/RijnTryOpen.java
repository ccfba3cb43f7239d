package rijn.spark;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** The function rijn_try_open. A row that is not genuine becomes NULL. */
public final class RijnTryOpen extends RowFunction {
    private static final long serialVersionUID = 1;

    RijnTryOpen(Reference reference, List<Expression> arguments) {
        super(reference, arguments);
    }

    @Override
    public String name() {
        return "rijn_try_open";
    }

    @Override
    public boolean nullable() {
        return true;
    }

    @Override
    String method() {
        return "tryOpen";
    }

    @Override
    byte[] apply(Worker worker, Object value, Object aad) {
        return worker.tryOpen(value, aad);
    }

    @Override
    RowFunction with(List<Expression> arguments) {
        return new RijnTryOpen(reference, arguments);
    }
}
