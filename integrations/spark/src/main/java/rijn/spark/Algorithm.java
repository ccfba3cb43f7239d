package rijn.spark;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** An AEAD for keysets. columns.def lists them, rijn_algorithms.def has their sizes. */
enum Algorithm {
    // In the order of columns.def. native/glue.c uses the same order.
    GCM,
    XAES,
    SIV,
    GCM_SIV,
    AEGIS_256,
    AEGIS_128L;

    static final int TAG = 16; // bytes

    String title;
    String typeUrl; // in a keyset's JSON
    int keyField; // number of the key's field in the protocol buffer 'value'
    byte[] salt; // field 2 of that buffer; empty: none
    int nonceSize; // bytes
    private int[] keySizes; // bytes

    static {
        String sizes = "rijn_algorithms.def";
        Map<String, String> nonces = new HashMap<>();
        Map<String, List<String>> keys = new HashMap<>();
        for (List<String> line : Listed.lines(sizes, "RIJN_AES_AEAD")) {
            keys.put(line.get(0), Listed.arguments("KEY", line.get(3)));
            nonces.put(line.get(0), line.get(6));
        }
        for (List<String> line : Listed.lines(sizes, "RIJN_SIV_AEAD")) {
            keys.put(line.get(0), Listed.arguments("KEY", line.get(3)));
            nonces.put(line.get(0), "0");
        }
        for (List<String> line : Listed.lines(sizes, "RIJN_AEGIS_AEAD")) {
            keys.put(line.get(0), List.of(line.get(3)));
            nonces.put(line.get(0), line.get(3));
        }
        List<String> constants = Arrays.stream(values()).map(Enum::name).toList();
        Map<String, List<String>> found =
                Listed.byConstant(Listed.lines("columns.def", "RIJN_COLUMN_ALGORITHM"), 0, constants);
        for (Algorithm each : values()) {
            List<String> line = found.get(each.name());
            each.title = line.get(1);
            each.typeUrl = line.get(3);
            each.keyField = Integer.parseInt(line.get(4));
            each.salt = HexFormat.of().parseHex(line.get(5).replace("\\x", ""));
            each.nonceSize = Integer.parseInt(nonces.get(each.name()));
            each.keySizes = keys.get(each.name()).stream().mapToInt(Integer::parseInt).toArray();
        }
    }

    boolean takes(int size) {
        for (int each : keySizes) {
            if (each == size) {
                return true;
            }
        }
        return false;
    }

    /** Returns the sizes of its keys, like "16, 24 or 32". */
    String sizes() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < keySizes.length; i++) {
            text.append(i == 0 ? "" : i == keySizes.length - 1 ? " or " : ", ").append(keySizes[i]);
        }
        return text.toString();
    }
}
