package rijn.spark;

import org.apache.spark.sql.catalyst.expressions.Expression;
import scala.collection.immutable.Seq;

/** The function rijn_try_open. A row that is not genuine becomes NULL. */
public final class RijnTryOpen extends RowFunction {
    private static final long serialVersionUID = 1;

    RijnTryOpen(Reference reference, Seq<Expression> arguments) {
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
    RowFunction with(Seq<Expression> arguments) {
        return new RijnTryOpen(reference, arguments);
    }
}
