package rijn.spark;

import org.apache.spark.sql.catalyst.expressions.Expression;
import scala.collection.immutable.Seq;

/** The function rijn_open. A row that is not genuine is an error. */
public final class RijnOpen extends RowFunction {
    private static final long serialVersionUID = 1;

    RijnOpen(Reference reference, Seq<Expression> arguments) {
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
    RowFunction with(Seq<Expression> arguments) {
        return new RijnOpen(reference, arguments);
    }
}
