package rijn.spark;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A format of rows and the algorithms of its keys (docs/columns.md). columns.def lists them. */
enum Format {
    XAES,
    GCM_SIV,
    AEGIS_256,
    AEGIS_128L,
    SIV,
    SPARK,
    TINK;

    String title;
    boolean framed; // needs a context; otherwise other programs read the rows, and frame nothing
    List<Algorithm> algorithms; // of its keys; a Rijn key file uses the first
    private boolean prefixed;

    static {
        List<String> constants = Arrays.stream(values()).map(Enum::name).toList();
        Map<String, List<String>> found =
                Listed.byConstant(Listed.lines("columns.def", "RIJN_COLUMN_FORMAT"), 1, constants);
        for (Format each : values()) {
            List<String> line = found.get(each.name());
            each.title = line.get(0);
            each.framed = Boolean.parseBoolean(line.get(2));
            each.prefixed = Boolean.parseBoolean(line.get(3));
            each.algorithms = line.subList(4, line.size()).stream()
                    .map(it -> Algorithm.valueOf(Listed.arguments("ALGORITHM", it).get(0)))
                    .toList();
        }
    }

    static Format named(String title) {
        for (Format each : values()) {
            if (each.title.equals(title)) {
                return each;
            }
        }
        String all = Arrays.stream(values()).map(it -> it.title).collect(Collectors.joining(", "));
        throw new IllegalArgumentException("the format must be one of " + all);
    }

    /** Returns whether equal values give equal rows under one key, with all its algorithms. */
    boolean deterministic() {
        return algorithms.stream().allMatch(it -> it.nonceSize == 0);
    }

    /** Returns whether rows start with the id of their key. */
    boolean prefixed() {
        return prefixed;
    }
}
