package rijn.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which keysets are accepted, and the messages for the others. */
class KeysetTest {
    private static final Keysets.Entry KEY = new Keysets.Entry(5, Algorithm.XAES, 32);
    private static final Keysets.Entry OTHER = new Keysets.Entry(6, Algorithm.XAES, 32);

    @TempDir
    Path folder;

    private static String refused(String text) {
        KeysetException error = assertThrows(KeysetException.class, () -> Keyset.parsed(text), text);
        assertNull(error.getCause());
        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        String secret = Base64.getEncoder().encodeToString(KEY.secret());
        assertFalse(trace.toString().contains(secret.substring(4, 16)));
        return error.getMessage();
    }

    @Test
    void the_primary_key_comes_first() {
        String json = Keysets.json(KEY, OTHER).replace("\"primaryKeyId\": 5", "\"primaryKeyId\": 6");
        var keys = Keyset.parsed(json);
        assertEquals(6, keys.get(0).id());
        assertArrayEquals(OTHER.secret(), keys.get(0).secret());
        assertArrayEquals(KEY.secret(), keys.get(1).secret());
        assertEquals("key 6", keys.get(0).toString());
    }

    @Test
    void invalid_keysets_are_refused_with_a_reason() {
        String good = Keysets.json(KEY, OTHER);
        assertEquals("it is not JSON", refused(good.substring(0, good.length() - 2)));
        assertEquals("it is not JSON", refused(good + "x"));
        assertEquals("'key' is not a list of keys", refused("{\"primaryKeyId\": 5}"));
        assertEquals("'key' is not a list of keys", refused("{\"key\": [5]}"));
        assertEquals("no key has the id 'primaryKeyId'", refused(good.replace("Id\": 5, \"key\"", "Id\": 4, \"key\"")));
        assertEquals("2 keys have the id 'primaryKeyId'", refused(good.replace("\"keyId\": 6", "\"keyId\": 5")));
        for (String id : new String[] {"0", "-1", "4294967296", "5.0", "\"5\"", "true", "null"}) {
            assertTrue(refused(good.replace("\"keyId\": 5", "\"keyId\": " + id)).contains("no 'keyId' from 1"));
        }
        assertTrue(refused(good.replace("ENABLED", "ON")).contains("the 'status' of key 5 is missing or unknown"));
        assertEquals("its primary key 5 is disabled", refused(good.replace("ENABLED", "DISABLED")));
        assertTrue(refused(good.replace("RAW", "CRUNCHY")).contains("is neither TINK nor RAW"));
        assertTrue(refused(good.replace("SYMMETRIC", "REMOTE")).contains("is missing or not symmetric"));
        assertTrue(refused(good.replace("XAesGcmKey", "HmacKey")).contains("the type of key 5 is unknown"));
        assertTrue(refused(good.replace("XAesGcmKey", "AesSivKey"))
                .contains("must be 32, 48 or 64 bytes, not 2"));
        assertTrue(refused(good.replaceAll("\"value\": \"....", "\"value\": \"EgIIDQ")).contains("is not a valid XAES"));
        String inner = Base64.getEncoder().encodeToString(new byte[] {0x12, 2, 8, 12});
        assertTrue(refused(good.replaceAll("\"value\": \"[^\"]*", "\"value\": \"" + inner)).contains("is not a valid XAES"));
        assertTrue(refused(good.replaceAll("\"value\": \"", "\"value\": \"-")).contains("is not a valid XAES"));
        byte[] salt = Base64.getDecoder().decode(good.replaceAll("(?s).*?\"value\": \"([^\"]*).*", "$1"));
        salt[3] = 8;
        assertTrue(refused(good.replaceAll("\"value\": \"[^\"]*", "\"value\": \""
                + Base64.getEncoder().encodeToString(salt))).contains("nonces that do not have 24 bytes"));
        salt[3] = 12;
        salt[5] = 31;
        byte[] shorter = java.util.Arrays.copyOf(salt, salt.length - 1);
        assertTrue(refused(good.replaceAll("\"value\": \"[^\"]*", "\"value\": \""
                + Base64.getEncoder().encodeToString(shorter))).contains("must be 32 bytes, not 31"));
    }

    @Test
    void keysets_come_from_private_files_and_variables() throws Exception {
        Path file = Keysets.file(folder, "k", Keysets.json(KEY));
        Path second = Keysets.file(folder, "l", Keysets.json(OTHER));
        try (Keyset both = Keyset.load(file + ", " + second, name -> null)) {
            assertEquals(2, both.keys.size());
            assertEquals(5, both.keys.get(0).id());
        }
        for (String mode : new String[] {"rw----r--", "rw--w----", "rw-r-----"}) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            KeysetException error = assertThrows(KeysetException.class, () -> Keyset.load(file.toString(), name -> null));
            assertTrue(error.getMessage().contains("chmod 600"));
        }
        assertTrue(assertThrows(KeysetException.class, () -> Keyset.load(second + "," + second, name -> null))
                .getMessage().contains("the same id"));
        assertTrue(assertThrows(KeysetException.class, () -> Keyset.load(folder + "/none", name -> null))
                .getMessage().contains("/none is not readable on this executor (NoSuchFileException)"));
        assertTrue(assertThrows(KeysetException.class, () -> Keyset.load("env:NONE", name -> null))
                .getMessage().contains("no environment variable NONE"));
        byte[] secret;
        try (Keyset one = Keyset.load("env:K", name -> name.equals("K") ? Keysets.json(KEY) : null)) {
            secret = one.keys.get(0).secret();
            assertArrayEquals(KEY.secret(), secret);
        }
        assertArrayEquals(new byte[32], secret);
        Path binary = Keysets.file(folder, "b", "");
        Files.write(binary, new byte[] {'{', (byte) 0xff});
        assertEquals("it is not UTF-8", assertThrows(KeysetException.class,
                () -> Keyset.load(binary.toString(), name -> null)).getMessage());
        Files.write(binary, new byte[(1 << 20) + 1]);
        assertEquals("it is longer than 1048576 bytes", assertThrows(KeysetException.class,
                () -> Keyset.load(binary.toString(), name -> null)).getMessage());
    }

    @Test
    void a_key_in_place_of_a_name_is_not_shown() throws Exception {
        for (int size : new int[] {16, 24, 32, 64}) {
            for (int round = 0; round < 200; round++) {
                byte[] secret = new byte[size];
                new SecureRandom().nextBytes(secret);
                String digits = HexFormat.of().formatHex(secret);
                for (String key : new String[] {
                    digits,
                    digits.toUpperCase(),
                    HexFormat.ofDelimiter(":").formatHex(secret),
                    Base64.getEncoder().encodeToString(secret),
                    Base64.getUrlEncoder().withoutPadding().encodeToString(secret),
                    "rijn-key-v1 " + digits,
                    Keysets.json(KEY)
                }) {
                    assertEquals(Names.UNSHOWN, Names.shown(key));
                    assertEquals(Names.UNSHOWN, Names.shown(folder.resolve("none/" + key)));
                    assertEquals(Names.UNSHOWN, Names.shown(Path.of("/" + key)));
                }
                assertFalse(assertThrows(KeysetException.class, () -> Keyset.load("env:" + digits, name -> null))
                        .getMessage().contains(digits));
                assertFalse(assertThrows(KeysetException.class, () -> Keyset.load("/" + digits, name -> null))
                        .getMessage().contains(digits));
            }
        }
        for (String name : new String[] {
            "customers", "CUSTOMERS_KEYSET_IN_PRODUCTION_2026", "customers-production-2026.keyset",
            "/etc/rijn/customers/production.json", "backup-2026-11-25T10.keyset"
        }) {
            assertEquals(name, Names.shown(name));
            assertEquals(name, Names.shown(Path.of(name)).toString());
        }
        Path there = Keysets.file(folder, "5f".repeat(32), "");
        assertEquals(there.toString(), Names.shown(there));
    }

    @Test
    void a_file_that_is_replaced_while_it_is_read_is_refused() throws Exception {
        Path file = Keysets.file(folder, "k", Keysets.json(KEY));
        Path other = Keysets.file(folder, "l", Keysets.json(OTHER));
        PosixFileAttributes before = Files.readAttributes(file, PosixFileAttributes.class);
        Keyset.checkClosed(file, before);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        PosixFileAttributes open = Files.readAttributes(file, PosixFileAttributes.class);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertTrue(assertThrows(KeysetException.class, () -> Keyset.checkClosed(file, open))
                .getMessage().contains("chmod 600"));
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        assertTrue(assertThrows(KeysetException.class, () -> Keyset.checkClosed(file, before))
                .getMessage().contains("was replaced while it was read"));
        Files.delete(file);
        assertTrue(assertThrows(KeysetException.class, () -> Keyset.checkClosed(file, before))
                .getMessage().contains("disappeared"));
    }

    @Test
    void refused_keys_are_overwritten() {
        for (int size : new int[] {31, 32}) {
            byte[] secret = "a key that nobody has to have..!".substring(0, size).getBytes();
            byte[] salt = {8, 8};
            byte[] other = {1};
            Map<Long, Object> fields = Map.of(2L, salt, 3L, secret, 9L, other);
            assertThrows(KeysetException.class, () -> Keyset.key(5, Algorithm.XAES, true, fields));
            assertArrayEquals(new byte[size], secret);
            assertArrayEquals(new byte[2], salt);
            assertArrayEquals(new byte[1], other);
        }
        byte[] secret = KEY.secret();
        byte[] other = {1};
        Map<Long, Object> fields = Map.of(2L, new byte[] {8, 12}, 3L, secret, 9L, other);
        assertArrayEquals(KEY.secret(), Keyset.key(5, Algorithm.XAES, true, fields).secret());
        assertArrayEquals(new byte[1], other);
    }

    private static byte[] text(JsonNode given) {
        if (given.has("hex")) {
            return HexFormat.of().parseHex(given.get("hex").textValue());
        }
        StringBuilder text = new StringBuilder();
        for (JsonNode piece : given.get("text")) {
            text.append(piece.isTextual()
                    ? piece.textValue()
                    : piece.get(0).textValue().repeat(piece.get(1).intValue()));
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Reads the texts of vectors/keysets.json. rijn.columns and the DuckDB extension read them too. */
    @Test
    void shared_keysets_are_accepted_or_refused() throws Exception {
        Path file = Keysets.file(folder, "k", "");
        int taken = 0;
        int refused = 0;
        for (JsonNode given : new ObjectMapper().readTree(new File("../../vectors/keysets.json")).get("keysets")) {
            String name = given.get("name").textValue();
            Files.write(file, text(given));
            List<String> found = null;
            try (Keyset keyset = Keyset.load(file.toString(), variable -> null)) {
                found = new ArrayList<>();
                for (Keyset.Key key : keyset.keys) {
                    found.add(key.id() + " " + (key.algorithm() == null ? null : key.algorithm().title) + " "
                            + key.raw() + " " + HexFormat.of().formatHex(key.secret()));
                }
                taken++;
            } catch (KeysetException error) {
                assertNull(error.getCause(), name);
                assertFalse(error.getMessage().matches("(?s).*[0-9A-Za-z+=]{24,}.*"), name + error.getMessage());
                refused++;
            }
            List<String> expected = null;
            if (given.has("keys")) {
                expected = new ArrayList<>();
                for (JsonNode key : given.get("keys")) {
                    expected.add(key.get(0).asText() + " " + key.get(1).asText() + " " + key.get(2).asText() + " "
                            + key.get(3).asText());
                }
            }
            assertEquals(expected, found, name);
        }
        assertTrue(taken > 40 && refused > 140, taken + " " + refused);
    }

    /** Reads the key files of vectors/format.json, as all readers of key files do. */
    @Test
    void key_files_are_read_by_the_grammar() throws Exception {
        File vectors = new File("../../vectors/format.json");
        int taken = 0;
        int refused = 0;
        for (JsonNode vector : new ObjectMapper().readTree(vectors).get("vectors")) {
            JsonNode file = vector.get("key_file");
            if (file == null || file.textValue().length() > 2 * 4096) {
                continue; // too long for a key file, but not for a keyset
            }
            byte[] data = HexFormat.of().parseHex(file.textValue());
            String why = vector.path("refused").asText();
            byte[] key = null;
            try {
                key = Keyset.keyFile(StandardCharsets.UTF_8.newDecoder()
                        .decode(java.nio.ByteBuffer.wrap(data)).toString());
            } catch (KeysetException | java.nio.charset.CharacterCodingException error) {
                refused++;
            }
            assertEquals(why.equals("bad-key-file"), key == null, vector.get("name").asText());
            taken += key == null ? 0 : 1;
        }
        assertTrue(taken > 3 && refused > 10, taken + " " + refused);
    }
}
