package rijn.spark;

import org.apache.spark.sql.catalyst.expressions.Expression;
import scala.collection.immutable.Seq;

/** The function rijn_seal. It is not deterministic, except in the format siv. */
public final class RijnSeal extends RowFunction {
    private static final long serialVersionUID = 1;

    RijnSeal(Reference reference, Seq<Expression> arguments) {
        super(reference, arguments);
    }

    @Override
    public String name() {
        return "rijn_seal";
    }

    @Override
    public boolean deterministic() {
        return reference.format.deterministic() && super.deterministic();
    }

    @Override
    String method() {
        return "seal";
    }

    @Override
    byte[] apply(Worker worker, Object value, Object aad) {
        return worker.seal(value, aad);
    }

    @Override
    RowFunction with(Seq<Expression> arguments) {
        return new RijnSeal(reference, arguments);
    }
}
