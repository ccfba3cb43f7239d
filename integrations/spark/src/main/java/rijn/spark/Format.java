package rijn.spark;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What a row looks like, and which keys seal it: docs/columns.md. */
enum Format {
    XAES("xaes", true, Algorithm.XAES),
    GCM_SIV("gcm-siv", true, Algorithm.GCM_SIV),
    AEGIS_256("aegis-256", true, Algorithm.AEGIS_256),
    AEGIS_128L("aegis-128l", true, Algorithm.AEGIS_128L),
    SIV("siv", true, Algorithm.SIV),
    SPARK("spark", false, Algorithm.AES_GCM),
    TINK("tink", false, Algorithm.AES_GCM, Algorithm.XAES, Algorithm.SIV);

    final String title;
    final boolean framed; // asks for a context: the other side of the rest frames nothing
    final List<Algorithm> algorithms; // of its keys

    Format(String title, boolean framed, Algorithm... algorithms) {
        this.title = title;
        this.framed = framed;
        this.algorithms = List.of(algorithms);
    }

    static Format named(String title) {
        for (Format each : values()) {
            if (each.title.equals(title)) {
                return each;
            }
        }
        String all = Arrays.stream(values()).map(it -> it.title).collect(Collectors.joining(", "));
        throw new IllegalArgumentException("a format is one of " + all);
    }

    /** Whether equal values are equal when sealed, whatever its key. */
    boolean deterministic() {
        return this == SIV;
    }

    /** Whether rows begin with what names their key. */
    boolean prefixed() {
        return this == TINK;
    }
}
