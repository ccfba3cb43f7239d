package rijn.spark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;

/** Makes keysets for tests. Their keys are pseudorandom, with the id as seed. */
final class Keysets {
    record Entry(long id, Algorithm algorithm, int size, String prefix, String status) {
        Entry(long id, Algorithm algorithm, int size) {
            this(id, algorithm, size, "RAW", "ENABLED");
        }

        byte[] secret() {
            byte[] secret = new byte[size];
            new Random(31 * id + size + 1000 * algorithm.ordinal()).nextBytes(secret);
            return secret;
        }

        private String json() {
            ByteArrayOutputStream value = new ByteArrayOutputStream();
            if (algorithm == Algorithm.XAES) {
                value.writeBytes(new byte[] {0x12, 2, 8, 12});
            }
            value.write(algorithm.keyField << 3 | 2);
            value.write(size);
            value.writeBytes(secret());
            return """
                    {"keyData": {"typeUrl": "%s", "value": "%s", "keyMaterialType": "SYMMETRIC"},
                     "status": "%s", "keyId": %d, "outputPrefixType": "%s"}"""
                    .formatted(
                            algorithm.typeUrl,
                            Base64.getEncoder().encodeToString(value.toByteArray()),
                            status,
                            id,
                            prefix);
        }
    }

    private Keysets() {}

    /** Returns the JSON of a keyset with these keys. The first one is the primary key. */
    static String json(Entry... entries) {
        List<String> keys = new ArrayList<>();
        for (Entry entry : entries) {
            keys.add(entry.json());
        }
        return "{\"primaryKeyId\": " + entries[0].id + ", \"key\": [" + String.join(",", keys) + "]}";
    }

    /** Writes a new file that only its owner can read. */
    static Path file(Path folder, String name, String text) {
        try {
            Path file = Files.createFile(
                    folder.resolve(name),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            return Files.writeString(file, text);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Returns the key sizes of an algorithm. */
    static List<Integer> sizes(Algorithm algorithm) {
        List<Integer> sizes = new ArrayList<>();
        for (int size : new int[] {16, 24, 32, 48, 64}) {
            if (algorithm.takes(size)) {
                sizes.add(size);
            }
        }
        return sizes;
    }
}
