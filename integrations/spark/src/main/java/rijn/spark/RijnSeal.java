package rijn.spark;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** The function rijn_seal. It is not deterministic, except in the format siv. */
public final class RijnSeal extends RowFunction {
    private static final long serialVersionUID = 1;

    RijnSeal(Reference reference, List<Expression> arguments) {
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
    RowFunction with(List<Expression> arguments) {
        return new RijnSeal(reference, arguments);
    }
}
