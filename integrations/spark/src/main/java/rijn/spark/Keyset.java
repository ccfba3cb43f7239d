package rijn.spark;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys of a keyset, the primary one first. It is read from Tink's JSON in the clear, or from a
 * Rijn key file (docs/format.md). python/rijn/columns/keysets.py accepts exactly the same texts.
 */
final class Keyset implements AutoCloseable {
    static final int MOST_KEYS = 254;
    private static final int MAX_TEXT = 1 << 20; // bytes
    private static final String VARIABLE = "env:";
    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f]");
    private static final Pattern KEY_LINE = Pattern.compile("rijn-key-v1 ([0-9A-Fa-f]+)");
    private static final Pattern BASE64 = Pattern.compile("[0-9A-Za-z+/]*={0,2}");
    private static final int MAX_VALUE = 255; // characters of a key's 'value'
    private static final int KNOWN_FIELDS = 4; // fields 0 to 3 may occur only once
    // Limits that JSON leaves open, the same in all readers of keysets. The text's size limits names, too.
    private static final StreamReadConstraints LIMITS = SparkVersion.jsonLimits(MAX_TEXT)
            .maxNestingDepth(32)
            .maxNumberLength(1000)
            .build();
    private static final ObjectMapper JSON =
            new ObjectMapper(JsonFactory.builder().streamReadConstraints(LIMITS).build());

    /** A key. A Rijn key file has neither id nor algorithm: id is 0 and algorithm null then. */
    record Key(long id, Algorithm algorithm, boolean raw, byte[] secret) {
        @Override
        public String toString() {
            return "key " + id;
        }
    }

    final List<Key> keys;

    private Keyset(List<Key> keys) {
        this.keys = keys;
    }

    /**
     * Reads the keys of all sources. Throws KeysetException.
     *
     * @param sources separated by commas: absolute paths of files, or env: and a variable's name
     */
    static Keyset load(String sources, UnaryOperator<String> environment) {
        List<Key> keys = new ArrayList<>();
        boolean whole = false;
        try {
            for (String source : sources.split(",", -1)) {
                keys.addAll(read(source.strip(), environment));
            }
            Set<Long> ids = new HashSet<>();
            for (Key key : keys) {
                if (key.id != 0 && !ids.add(key.id)) {
                    throw new KeysetException("two keys have the same id");
                }
            }
            if (keys.size() > MOST_KEYS) {
                throw new KeysetException(
                        "a keyset has 1 to " + MOST_KEYS + " keys, not " + keys.size());
            }
            whole = true;
            return new Keyset(keys);
        } finally {
            if (!whole) {
                wipe(keys);
            }
        }
    }

    /** Throws KeysetException if a key is not for this format. */
    void check(Format format) {
        Algorithm first = format.algorithms.get(0);
        for (Key key : keys) {
            if (key.algorithm == null) {
                if (format.prefixed()) {
                    throw new KeysetException("format " + format.title + " needs a keyset in Tink's"
                            + " JSON: a Rijn key file has no key id and no key type");
                }
                if (!first.takes(key.secret.length)) {
                    throw new KeysetException("format " + format.title + " needs a key of "
                            + first.sizes() + " bytes, not " + key.secret.length);
                }
            } else if (!format.algorithms.contains(key.algorithm)) {
                throw new KeysetException("key " + key.id + " is for " + key.algorithm.title
                        + ", not for format " + format.title);
            }
        }
    }

    @Override
    public void close() {
        wipe(keys);
    }

    private static void wipe(List<Key> keys) {
        for (Key key : keys) {
            Arrays.fill(key.secret, (byte) 0);
        }
    }

    // ---- Files and variables ---------------------------------------------------------------

    private static List<Key> read(String source, UnaryOperator<String> environment) {
        if (source.startsWith(VARIABLE)) {
            String name = source.substring(VARIABLE.length());
            String text = environment.apply(name);
            if (text == null) {
                throw new KeysetException("there is no environment variable " + Names.shown(name)
                        + " on this executor");
            }
            return parsed(text);
        }
        Path path = Path.of(source);
        PosixFileAttributes before;
        byte[] data;
        try {
            before = attributes(path);
            try (InputStream in = Files.newInputStream(path)) {
                data = in.readNBytes(MAX_TEXT + 1);
            }
        } catch (IOException error) { // its message has only the path
            throw new KeysetException("the file " + Names.shown(path) + " is not readable on this executor ("
                    + error.getClass().getSimpleName() + ")");
        }
        try {
            if (data.length > MAX_TEXT) {
                throw new KeysetException("it is longer than " + MAX_TEXT + " bytes");
            }
            List<Key> keys = parsed(utf8(data));
            try {
                checkClosed(path, before);
            } catch (RuntimeException error) {
                wipe(keys);
                throw error;
            }
            return keys;
        } finally {
            Arrays.fill(data, (byte) 0);
        }
    }

    /** Returns null if the file system has no such attributes. */
    private static PosixFileAttributes attributes(Path path) throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(path, PosixFileAttributeView.class);
        return view == null ? null : view.readAttributes();
    }

    /**
     * Throws KeysetException for a regular file that other users have access to, and for a file that
     * was replaced since `before` was read.
     */
    static void checkClosed(Path path, PosixFileAttributes before) {
        PosixFileAttributes after;
        try {
            after = attributes(path);
        } catch (IOException error) {
            throw new KeysetException("the file " + path + " disappeared while it was read");
        }
        if (before == null || after == null) {
            return;
        }
        if (!Objects.equals(before.fileKey(), after.fileKey())) {
            throw new KeysetException(
                    "the file " + path + " was replaced while it was read: try again");
        }
        for (PosixFileAttributes each : List.of(before, after)) {
            for (PosixFilePermission right : each.permissions()) {
                if (each.isRegularFile() && !right.name().startsWith("OWNER_")) {
                    throw new KeysetException(
                            "other users have access to the file " + path + ": chmod 600");
                }
            }
        }
    }

    private static String utf8(byte[] data) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString();
        } catch (CharacterCodingException error) {
            throw new KeysetException("it is not UTF-8");
        }
    }

    // ---- The text. Exceptions have no cause, because a parser's message may contain keys ----

    /** Returns the keys in a keyset's text, the primary one first. Throws KeysetException. */
    static List<Key> parsed(String text) {
        if (!text.stripLeading().startsWith("{")) {
            return List.of(new Key(0, null, true, keyFile(text)));
        }
        JsonNode found = null;
        try (JsonParser parser = JSON.createParser(text)) {
            parser.nextToken();
            JsonNode tree = tree(parser);
            found = parser.nextToken() == null ? tree : null;
        } catch (IOException error) {
            // found is null
        }
        if (found == null || !found.isObject()) {
            throw new KeysetException("it is not JSON");
        }
        JsonNode entries = found.get("key");
        boolean listed = entries != null && entries.isArray();
        for (int i = 0; listed && i < entries.size(); i++) {
            listed = entries.get(i).isObject();
        }
        if (!listed) {
            throw new KeysetException("'key' is not a list of keys");
        }
        JsonNode primary = found.get("primaryKeyId");
        List<Key> keys = new ArrayList<>();
        boolean whole = false;
        try {
            int first = 0;
            for (JsonNode entry : entries) {
                long id = id(entry.get("keyId"));
                if (id == 0) {
                    throw new KeysetException("a key has no 'keyId' from 1 to 2^32 - 1");
                }
                boolean leads = id(primary) == id;
                String status = text(entry.get("status"));
                if (status.equals("ENABLED")) {
                    first += leads ? 1 : 0;
                    keys.add(leads ? 0 : keys.size(), key(id, entry));
                } else if (!status.equals("DISABLED") && !status.equals("DESTROYED")) {
                    throw new KeysetException("the 'status' of key " + id + " is missing or unknown");
                } else if (leads) {
                    throw new KeysetException(
                            "its primary key " + id + " is " + status.toLowerCase());
                }
            }
            if (first != 1) {
                throw new KeysetException(first == 0
                        ? "no key has the id 'primaryKeyId'"
                        : first + " keys have the id 'primaryKeyId'");
            }
            whole = true;
            return keys;
        } finally {
            if (!whole) {
                wipe(keys);
            }
        }
    }

    /** Reads the value that starts here. A member with a repeated name is null. */
    private static JsonNode tree(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            ObjectNode object = JSON.createObjectNode();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                JsonNode value = tree(parser);
                object.set(name, object.has(name) ? JSON.getNodeFactory().nullNode() : value);
            }
            return object;
        }
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            ArrayNode array = JSON.createArrayNode();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                array.add(tree(parser));
            }
            return array;
        }
        return parser.readValueAsTree();
    }

    /** Returns an id from 1 to 2^32 - 1, or 0 for any other value. */
    private static long id(JsonNode node) {
        boolean whole = node != null && node.isIntegralNumber() && node.canConvertToLong();
        long value = whole ? node.longValue() : 0;
        return value > 0 && value < 1L << 32 ? value : 0;
    }

    private static String text(JsonNode node) {
        return node != null && node.isTextual() ? node.textValue() : "";
    }

    private static Key key(long id, JsonNode entry) {
        String prefix = text(entry.get("outputPrefixType"));
        if (!prefix.equals("TINK") && !prefix.equals("RAW")) {
            throw new KeysetException(
                    "the 'outputPrefixType' of key " + id + " is neither TINK nor RAW");
        }
        JsonNode material = entry.get("keyData");
        if (material == null || !text(material.get("keyMaterialType")).equals("SYMMETRIC")) {
            throw new KeysetException("the 'keyData' of key " + id + " is missing or not symmetric");
        }
        String url = text(material.get("typeUrl"));
        String value = text(material.get("value"));
        Algorithm algorithm = null;
        for (Algorithm each : Algorithm.values()) {
            algorithm = each.typeUrl.equals(url) ? each : algorithm;
        }
        if (algorithm == null) {
            throw new KeysetException("the type of key " + id + " is unknown");
        }
        return key(id, algorithm, prefix.equals("RAW"), fields(value));
    }

    /** Makes a key of these fields. All byte arrays but its secret are overwritten. */
    static Key key(long id, Algorithm algorithm, boolean raw, Map<Long, Object> fields) {
        byte[] kept = null;
        try {
            boolean versionZero = Long.valueOf(0).equals(fields.getOrDefault(1L, 0L));
            if (!versionZero
                    || !(fields.get((long) algorithm.keyField) instanceof byte[] secret)) {
                throw new KeysetException(
                        "key " + id + " is not a valid " + algorithm.title + " key of version 0");
            }
            if (!algorithm.takes(secret.length)) {
                throw new KeysetException("key " + id + " must be " + algorithm.sizes()
                        + " bytes, not " + secret.length);
            }
            if (algorithm.salt.length != 0
                    && !(fields.get(2L) instanceof byte[] salt
                            && Arrays.equals(salt, algorithm.salt))) {
                throw new KeysetException(
                        "key " + id + " is for nonces that do not have 24 bytes");
            }
            kept = secret;
            return new Key(id, algorithm, raw, secret);
        } finally {
            wipe(fields, kept);
        }
    }

    private static void wipe(Map<Long, Object> fields, byte[] except) {
        for (Object field : fields.values()) {
            if (field instanceof byte[] bytes && bytes != except) {
                Arrays.fill(bytes, (byte) 0);
            }
        }
    }

    /**
     * Returns the fields of a protocol buffer in Base64, by number: Long or byte[]. Returns no fields
     * if the text is not valid.
     */
    private static Map<Long, Object> fields(String base64) {
        if (base64.length() % 4 != 0
                || base64.length() > MAX_VALUE
                || !BASE64.matcher(base64).matches()) {
            return Map.of();
        }
        byte[] data = Base64.getDecoder().decode(base64);
        byte[] again = Base64.getEncoder().encode(data);
        Map<Long, Object> found = new HashMap<>();
        boolean whole = false;
        try {
            whole = Arrays.equals(again, base64.getBytes(StandardCharsets.US_ASCII))
                    && readFields(ByteBuffer.wrap(data), found);
        } catch (java.nio.BufferUnderflowException error) {
            // whole is false
        } finally {
            Arrays.fill(data, (byte) 0);
            Arrays.fill(again, (byte) 0);
        }
        if (!whole) {
            wipe(found, null);
        }
        return whole ? found : Map.of();
    }

    /** Reads the remaining fields. Returns false if they are not valid. */
    static boolean readFields(ByteBuffer left, Map<Long, Object> found) {
        while (left.hasRemaining()) {
            long tag = varint(left);
            long value = varint(left);
            if (tag < 0 || value < 0 || (tag >>> 3 < KNOWN_FIELDS && found.containsKey(tag >>> 3))) {
                return false;
            }
            if ((tag & 7) == 2 && value <= left.remaining()) {
                byte[] bytes = new byte[(int) value];
                left.get(bytes);
                found.put(tag >>> 3, bytes);
            } else if ((tag & 7) == 0) {
                found.put(tag >>> 3, value);
            } else {
                return false;
            }
        }
        return true;
    }

    /** Reads an integer of at most nine bytes. Returns -1 if it is longer. */
    private static long varint(ByteBuffer data) {
        long value = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            byte next = data.get();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        return -1;
    }

    /** Returns the key in a key file's text (docs/format.md). Throws KeysetException. */
    static byte[] keyFile(String text) {
        String lines = text.replace("\r\n", "\n");
        if (lines.startsWith("\ufeff")) {
            throw new KeysetException(
                    "it starts with a byte order mark: remove it");
        }
        Matcher control = CONTROL.matcher(lines);
        if (control.find()) {
            throw new KeysetException("it contains a control character");
        }
        List<String> left = new ArrayList<>();
        for (String line : lines.split("\n", -1)) {
            String bare = line.replaceAll("^[ \t]+|[ \t]+$", "");
            if (!bare.isEmpty() && !bare.startsWith("#")) {
                left.add(bare);
            }
        }
        if (left.size() != 1) {
            throw new KeysetException("it is neither JSON nor a Rijn key file: a key file has one"
                    + " line with a key, not " + left.size());
        }
        Matcher key = KEY_LINE.matcher(left.get(0));
        if (!key.matches()) {
            throw new KeysetException("it is neither JSON nor a Rijn key file: a key file has a"
                    + " line 'rijn-key-v1 ' with hexadecimal digits");
        }
        int digits = key.group(1).length();
        if (digits != 32 && digits != 64) {
            throw new KeysetException(
                    "its key has " + digits + " hexadecimal digits, not 32 or 64");
        }
        return java.util.HexFormat.of().parseHex(key.group(1));
    }
}
