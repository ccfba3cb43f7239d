package rijn.spark;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a row looks like, and which keys seal it: docs/columns.md. A line of columns.def. */
enum Format {
    XAES,
    GCM_SIV,
    AEGIS_256,
    AEGIS_128L,
    SIV,
    SPARK,
    TINK;

    String title;
    boolean framed; // asks for a context: the other side of the rest frames nothing
    List<Algorithm> algorithms; // of its keys
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
        throw new IllegalArgumentException("a format is one of " + all);
    }

    /** Whether equal values are equal when sealed, whatever its key. */
    boolean deterministic() {
        return algorithms.stream().allMatch(it -> it.nonceSize == 0);
    }

    /** Whether rows begin with what names their key. */
    boolean prefixed() {
        return prefixed;
    }
}
