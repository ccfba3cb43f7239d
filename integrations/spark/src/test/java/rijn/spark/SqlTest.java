package rijn.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.ExplainMode;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the functions in a Spark session, with and without generated code. */
class SqlTest {
    @TempDir
    static Path folder;

    private static SparkSession spark;
    private static final List<String> NAMES = new ArrayList<>();
    private static final Keysets.Entry GCM = new Keysets.Entry(77, Algorithm.GCM, 32);
    private static final Keysets.Entry XAES = new Keysets.Entry(78, Algorithm.XAES, 32);

    @BeforeAll
    static void begin() {
        SparkSession.Builder builder = SparkSession.builder()
                .master("local[2,3]") // three attempts of a task
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "3")
                .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
                .config("spark.eventLog.enabled", "true")
                .config("spark.eventLog.compress", "false")
                .config("spark.eventLog.dir", events().toUri().toString())
                .config("spark.sql.extensions", RijnExtensions.class.getName());
        for (Format format : Format.values()) {
            for (Algorithm algorithm : format.algorithms) {
                for (int size : Keysets.sizes(algorithm)) {
                    for (String prefix : format.prefixed() ? new String[] {"TINK", "RAW"} : new String[] {"RAW"}) {
                        String name = format.title + "." + algorithm.ordinal() + "." + size + "." + prefix;
                        var entry = new Keysets.Entry(7, algorithm, size, prefix, "ENABLED");
                        add(builder, name, format, Keysets.json(entry));
                        NAMES.add(name);
                    }
                }
            }
        }
        add(builder, "xaes", Format.XAES, Keysets.json(XAES));
        add(builder, "spark", Format.SPARK, Keysets.json(GCM));
        add(builder, "other", Format.XAES, Keysets.json(new Keysets.Entry(1, Algorithm.XAES, 32)));
        add(builder, "renewed", Format.XAES,
                Keysets.json(new Keysets.Entry(1, Algorithm.XAES, 32), XAES));
        builder.config("spark.rijn.keyset.file", Keysets.file(folder, "rijn.key",
                "# a key\nrijn-key-v1 " + "a1".repeat(32) + "\n").toString());
        spark = builder.getOrCreate();
    }

    private static Path events() {
        Path events = folder.resolve("events");
        assertTrue(events.toFile().isDirectory() || events.toFile().mkdir());
        return events;
    }

    private static void add(SparkSession.Builder builder, String name, Format format, String json) {
        builder.config("spark.rijn.keyset." + name, Keysets.file(folder, name, json).toString());
        builder.config("spark.rijn.format." + name, format.title);
    }

    @AfterAll
    static void end() {
        spark.stop();
    }

    private static final byte[] ALL = new byte[256];
    private static final byte[] LONG = new byte[300_000];

    static {
        for (int i = 0; i < LONG.length; i++) {
            LONG[i] = (byte) (31 * i ^ i >> 8);
        }
        System.arraycopy(LONG, 0, ALL, 0, ALL.length);
    }

    /** Makes a table of text, bytes and ids, in two partitions. The optimizer cannot fold it. */
    private static void values() {
        List<Row> rows = new ArrayList<>();
        Object[][] all = {
            {"ann@example.com", "x".getBytes(), "1"}, {null, null, null}, {"", new byte[0], ""},
            {"\u00fcber \ud83d\ude00", ALL, "22"}, {"y".repeat(100_000), LONG, "333"},
            {"seventeen letters", new byte[17], "z".repeat(1000)},
        };
        for (Object[] each : all) {
            rows.add(org.apache.spark.sql.RowFactory.create(each));
        }
        var schema = DataTypes.createStructType(List.of(
                DataTypes.createStructField("t", DataTypes.StringType, true),
                DataTypes.createStructField("b", DataTypes.BinaryType, true),
                DataTypes.createStructField("id", DataTypes.StringType, true)));
        spark.createDataFrame(new org.apache.spark.api.java.JavaSparkContext(spark.sparkContext())
                .parallelize(rows, 2), schema).createOrReplaceTempView("v");
    }

    private static void generated(boolean yes) {
        spark.conf().set("spark.sql.codegen.wholeStage", String.valueOf(yes));
        spark.conf().set("spark.sql.codegen.factoryMode", yes ? "CODEGEN_ONLY" : "NO_CODEGEN");
    }

    private static String context(String name) {
        return name.startsWith("tink") || name.startsWith("spark") ? "NULL" : "'t.col'";
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void every_format_and_key_size_opens_its_rows(boolean generated) {
        values();
        generated(generated);
        for (Format format : Format.values()) {
            List<String> names = NAMES.stream().filter(it -> it.startsWith(format.title + ".")).toList();
            List<String> sealed = new ArrayList<>();
            List<String> opened = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                String more = "'" + names.get(i) + "', " + context(names.get(i)) + (i % 2 == 0 ? ", id" : "");
                sealed.add("rijn_seal(b, " + more + ") b" + i + ", rijn_seal(t, " + more + ") t" + i);
                opened.add("length(b" + i + "), rijn_open(b" + i + ", " + more + "), CAST(rijn_try_open(t" + i
                        + ", " + more + ") AS STRING)");
            }
            List<Row> rows = spark.sql("SELECT t, b, " + String.join(", ", opened) + " FROM (SELECT *, "
                    + String.join(", ", sealed) + " FROM v)").collectAsList();
            assertEquals(6, rows.size());
            for (Row row : rows) {
                for (int i = 0; i < names.size(); i++) {
                    String name = names.get(i);
                    assertArrayEquals((byte[]) row.get(1), (byte[]) row.get(3 + 3 * i), name);
                    assertEquals((String) row.get(0), (String) row.get(4 + 3 * i), name);
                    if (row.get(1) == null) {
                        assertNull(row.get(2 + 3 * i));
                        continue;
                    }
                    Algorithm algorithm = Algorithm.values()[name.split("\\.")[1].charAt(0) - '0'];
                    int size = ((byte[]) row.get(1)).length + algorithm.nonceSize + Algorithm.TAG;
                    assertEquals(size + (name.endsWith("TINK") ? 5 : 0), row.getInt(2 + 3 * i), name);
                }
            }
        }
    }

    @Test
    void spark_reads_and_writes_the_format_spark() {
        values();
        generated(true);
        for (int size : new int[] {16, 24, 32}) {
            String name = "spark.0." + size + ".RAW";
            byte[] secret = new Keysets.Entry(7, Algorithm.GCM, size).secret();
            String key = "X'" + HexFormat.of().formatHex(secret) + "'";
            for (String aad : new String[] {"", "id"}) {
                String theirs = aad.isEmpty() ? ", 'GCM', 'DEFAULT'" : ", 'GCM', 'DEFAULT', '', " + aad;
                String theirsOpen = aad.isEmpty() ? ", 'GCM'" : ", 'GCM', 'DEFAULT', " + aad;
                String ours = "'" + name + "', NULL" + (aad.isEmpty() ? "" : ", " + aad);
                List<Row> rows = spark.sql("SELECT b, aes_decrypt(rijn_seal(b, " + ours + "), " + key
                                + theirsOpen + "), rijn_open(aes_encrypt(b, " + key + theirs + "), " + ours
                                + ") FROM v")
                        .collectAsList();
                for (Row row : rows) {
                    assertArrayEquals((byte[]) row.get(0), (byte[]) row.get(1), name);
                    assertArrayEquals((byte[]) row.get(0), (byte[]) row.get(2), name);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rows_do_not_open_with_another_aad_key_or_context(boolean generated) {
        values();
        generated(generated);
        String sealed = "(SELECT rijn_seal(t, 'xaes', 'a', id) s, id FROM v WHERE t IS NOT NULL)";
        String[] others = {"'xaes', 'b', id", "'other', 'a', id", "'xaes', 'a', concat(id, '!')", "'xaes', 'a'"};
        for (String other : others) {
            List<Row> rows = spark.sql("SELECT rijn_try_open(s, " + other + ") FROM " + sealed).collectAsList();
            assertEquals(5, rows.size());
            // without an aad, the row with an empty aad opens
            int opened = other.equals("'xaes', 'a'") ? 1 : 0;
            assertEquals(opened, rows.stream().filter(row -> !row.isNullAt(0)).count(), other);
            Throwable error = assertThrows(Exception.class, () -> spark.sql(
                    "SELECT rijn_open(s, " + other + ") FROM " + sealed).collectAsList());
            assertTrue(text(error).contains("NotGenuineException"), text(error));
        }
        assertEquals(5, spark.sql("SELECT rijn_open(s, 'renewed', 'a', id) FROM " + sealed)
                .collectAsList().size());
        assertThrows(Exception.class, () -> spark.sql("SELECT rijn_open(rijn_seal(t, 'renewed', 'a'),"
                + " 'xaes', 'a') FROM v").collectAsList());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_null_aad_beside_a_value_is_an_error(boolean generated) {
        values();
        generated(generated);
        for (String call : new String[] {
            "rijn_seal(t, 'xaes', 'a', nullif(id, '22'))",
            "rijn_open(rijn_seal(t, 'xaes', 'a'), 'xaes', 'a', nullif(id, '22'))",
            "rijn_try_open(rijn_seal(t, 'xaes', 'a'), 'xaes', 'a', nullif(id, '22'))",
        }) {
            Throwable error = assertThrows(Exception.class, () -> spark.sql("SELECT " + call + " FROM v")
                    .collectAsList());
            assertTrue(text(error).contains("aad is NULL beside a value")
                    || text(error).contains("not genuine"), text(error));
        }
        spark.sql("SELECT rijn_seal(t, 'xaes', 'a', nullif(id, '')) FROM v WHERE t IS NULL").collectAsList();
    }

    @Test
    void wrong_calls_give_helpful_messages() {
        values();
        Map<String, String> calls = new HashMap<>();
        calls.put("rijn_seal(t)", "takes the arguments value, keyset, context");
        calls.put("rijn_seal(t, 'nobody', 'a')", "set spark.rijn.keyset.nobody");
        calls.put("rijn_seal(t, id, 'a')", "keyset of rijn_seal must be a constant");
        calls.put("rijn_seal(t, 'xaes', id)", "context of rijn_seal must be a constant");
        calls.put("rijn_seal(t, 'xaes', 5)", "context of rijn_seal must be a constant");
        calls.put("rijn_seal(t, 'xaes', NULL)", "needs a context");
        calls.put("rijn_seal(t, NULL, 'a')", "must be the NAME of a setting");
        calls.put("rijn_seal(5, 'xaes', 'a')", "CAST it");
        calls.put("rijn_seal(t, 'xaes', 'a', 5)", "CAST it");
        calls.put("rijn_seal(t, 'xaes', 'a', id, 'rot13')", "the format must be one of xaes, gcm-siv,");
        calls.put("rijn_seal(t, 'xaes', 'a', id, NULL)", "the format of rijn_seal is NULL: give a format");
        calls.put("rijn_try_open(t, 'xaes', 'a', id, CAST(NULL AS STRING))", "the format of rijn_try_open is NULL");
        calls.put("rijn_seal(t, 'xaes', 'a', id, 'siv')", "key 78 is for XAES-256-GCM");
        calls.put("rijn_backend(1)", "takes no argument");
        calls.forEach((call, expected) -> {
            Throwable error = assertThrows(Exception.class,
                    () -> spark.sql("SELECT " + call + " FROM v").collectAsList());
            assertTrue(text(error).contains(expected), call + ": " + text(error));
        });
        // A key in place of the name of a keyset, a variable or a file.
        for (String key : List.of("f5".repeat(32), "Zm9vYmFyMTIzNDU2Nzg5MA", "aB3dE5gH7jK9mN1pQ3sT5vW7xY9_0")) {
            spark.conf().set("spark.rijn.keyset.by_variable", "env:" + key);
            spark.conf().set("spark.rijn.keyset.by_file", "/" + key);
            for (String name : List.of(key, "by_variable", "by_file")) {
                Throwable error = assertThrows(Exception.class, () -> spark.sql(
                        "SELECT rijn_seal(t, '" + name + "', 'a') FROM v").collectAsList());
                assertTrue(text(error).contains(Names.UNSHOWN), text(error));
                assertFalse(text(error).contains(key), text(error));
            }
        }
        String secret = "{\"primaryKeyId\": 5}";
        spark.conf().set("spark.rijn.keyset.pasted", secret);
        spark.conf().set("spark.rijn.keyset.gone", folder + "/gone");
        spark.conf().set("spark.rijn.keyset.unset", "env:RIJN_THAT_NOBODY_SETS");
        spark.conf().set("spark.rijn.keyset.wrong", folder + "/spark");
        Map<String, String> keysets = Map.of(
                "pasted", "never a keyset itself", "gone", "is not readable",
                "unset", "no environment variable RIJN_THAT_NOBODY_SETS",
                "wrong", "keyset wrong: key 77 is for AES-GCM");
        keysets.forEach((name, expected) -> {
            Throwable error = assertThrows(Exception.class, () -> spark.sql(
                    "SELECT rijn_seal(t, '" + name + "', 'a') FROM v").collectAsList());
            assertTrue(text(error).contains(expected), name + ": " + text(error));
            assertFalse(text(error).contains("primaryKeyId"), text(error));
        });
    }

    @Test
    void a_view_uses_the_keysets_of_the_session_that_reads_it() {
        values();
        spark.conf().set("spark.rijn.keyset.moved", folder + "/gone");
        spark.sql("CREATE OR REPLACE TEMPORARY VIEW opened AS SELECT t, CAST(rijn_open(rijn_seal(t, 'moved',"
                + " 'a'), 'moved', 'a') AS STRING) o FROM v");
        spark.conf().set("spark.rijn.keyset.moved", folder + "/xaes");
        assertEquals(6, spark.sql("SELECT o FROM opened WHERE o IS NOT DISTINCT FROM t").collectAsList().size());
    }

    @Test
    void sealing_is_deterministic_only_in_the_format_siv() {
        values();
        generated(true);
        Set<String> seen = new HashSet<>();
        for (Row row : spark.sql("SELECT rijn_seal('a', 'xaes', 'c') a, rijn_seal('a', 'xaes', 'c') b FROM v")
                .collectAsList()) {
            assertTrue(seen.add(Arrays.toString((byte[]) row.get(0))));
            assertTrue(seen.add(Arrays.toString((byte[]) row.get(1))));
        }
        // Each row is sealed with its own nonce, so there are as many groups as rows.
        assertEquals(6, spark.sql("SELECT rijn_seal('a', 'xaes', 'c') s, count(*) FROM v GROUP BY 1")
                .collectAsList().size());
        String siv = "rijn_seal('a', 'siv.2.64.RAW', 'c')";
        assertEquals(1, spark.sql("SELECT " + siv + " s, count(*) FROM v GROUP BY 1").collectAsList().size());
        assertEquals(5, spark.sql("SELECT * FROM v a JOIN v b ON rijn_seal(a.t, 'siv.2.32.RAW', 'c') ="
                + " rijn_seal(b.t, 'siv.2.32.RAW', 'c')").collectAsList().size());
    }

    /** The nonces of all attempts, also of failed ones. They run in this process. */
    private static final Queue<byte[]> NONCES = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_repeated_task_repeats_no_nonce(boolean generated) {
        generated(generated);
        NONCES.clear();
        long rows = spark.range(0, 4000, 1, 4)
                .selectExpr("id", "rijn_seal(CAST(id AS STRING), 'xaes', 'c') AS s")
                .javaRDD()
                .map(row -> {
                    NONCES.add(Arrays.copyOf((byte[]) row.get(1), 24));
                    if (row.getLong(0) % 1000 == 999 && TaskContext.get().attemptNumber() < 2) {
                        throw new IllegalStateException("this attempt fails on purpose");
                    }
                    return row;
                })
                .count();
        assertEquals(4000, rows);
        Set<String> distinct = new HashSet<>();
        Set<String> starts = new HashSet<>();
        for (byte[] nonce : NONCES) {
            assertTrue(distinct.add(Arrays.toString(nonce)));
            starts.add(Arrays.toString(Arrays.copyOf(nonce, 12)));
        }
        assertEquals(3 * 4000, distinct.size());
        assertEquals(3 * 4, starts.size()); // a prefix for each attempt
    }

    @Test
    void plans_and_logs_contain_no_secrets() throws Exception {
        values();
        List<String> outputs = new ArrayList<>();
        for (boolean generated : new boolean[] {true, false}) {
            generated(generated);
            Dataset<Row> sealed = spark.sql("SELECT id, rijn_seal(t, 'xaes', 'a', id) FROM v");
            Dataset<Row> opened = sealed.toDF("id", "s").selectExpr("rijn_open(s, 'xaes', 'a', id)");
            byte[] row = Worker.start(
                            new Reference("xaes", "env:K", Format.XAES, "a".getBytes(), Library.Use.AUTO),
                            name -> Keysets.json(XAES))
                    .seal("cleartext-of-a-row".getBytes(), null);
            String literal = "X'" + HexFormat.of().formatHex(row) + "'";
            Dataset<Row> constant = spark.sql("SELECT rijn_open(" + literal + ", 'xaes', 'a') o");
            assertEquals("cleartext-of-a-row",
                    constant.selectExpr("CAST(o AS STRING)").head().getString(0));
            for (Dataset<?> each : List.of(sealed, opened, constant)) {
                each.collectAsList();
                outputs.add(String.join(",", each.columns()));
                // Spark 4 has this method in a subclass, in another package.
                var execution = (QueryExecution) each.getClass().getMethod("queryExecution").invoke(each);
                for (String mode : List.of("simple", "extended", "codegen", "cost", "formatted")) {
                    outputs.add(execution.explainString(ExplainMode.fromString(mode)));
                }
                outputs.add(execution.optimizedPlan().toJSON());
                outputs.add(execution.executedPlan().toJSON());
                outputs.add(execution.analyzed().toString());
            }
            outputs.add(text(assertThrows(Exception.class, () -> spark.sql("SELECT rijn_open(rijn_seal(t, 'xaes',"
                    + " 'a'), 'other', 'a') FROM v").collectAsList())));
        }
        assertTrue(outputs.get(0).contains("rijn_seal(t, 'xaes'"), outputs.get(0));
        String clear = HexFormat.of().formatHex("cleartext-of-a-row".getBytes());
        for (String each : outputs) {
            assertFalse(each.contains("cleartext-of-a-row") || each.toLowerCase().contains(clear));
        }
        for (Path file : Files.walk(events()).filter(it -> it.toFile().isFile()).toList()) {
            outputs.add(Files.readString(file, StandardCharsets.ISO_8859_1)); // also its binary checksum files
        }
        assertTrue(outputs.stream().anyMatch(it -> it.contains("SparkListenerApplicationStart")));
        for (Keysets.Entry entry : List.of(XAES, GCM)) {
            for (String text : outputs) {
                String lower = text.toLowerCase();
                assertFalse(lower.contains(HexFormat.of().formatHex(entry.secret()).substring(0, 12)));
                assertFalse(text.contains(Base64.getEncoder().encodeToString(
                        Arrays.copyOfRange(entry.secret(), 2, 14))));
                assertFalse(text.contains(Arrays.toString(entry.secret()).substring(1, 20)));
            }
        }
    }

    @Test
    void a_key_file_seals_in_every_format_of_its_size() {
        values();
        generated(true);
        for (String format : List.of("xaes", "gcm-siv", "aegis-256", "siv", "spark")) {
            spark.conf().set("spark.rijn.format.file", format);
            assertEquals(5, spark.sql("SELECT rijn_open(rijn_seal(t, 'file', 'c'), 'file', 'c') o FROM v")
                    .filter("o IS NOT NULL").count());
        }
        assertEquals(5, spark.sql("SELECT rijn_open(rijn_seal(t, 'file', 'c', '', 'gcm-siv'), 'file', 'c', '',"
                        + " 'gcm-siv') o FROM v")
                .filter("o IS NOT NULL").count());
        spark.conf().set("spark.rijn.format.file", "tink");
        Throwable error = assertThrows(Exception.class,
                () -> spark.sql("SELECT rijn_seal(t, 'file', NULL) FROM v").collectAsList());
        assertTrue(text(error).contains("has no key id"));
    }

    @Test
    void register_adds_the_functions_to_a_running_session() {
        SparkSession bare = spark.newSession();
        var registry = SparkVersion.registry(bare);
        for (String name : List.of("rijn_seal", "rijn_open", "rijn_try_open", "rijn_backend")) {
            assertTrue(registry.dropFunction(new org.apache.spark.sql.catalyst.FunctionIdentifier(name)));
        }
        assertThrows(Exception.class, () -> bare.sql("SELECT rijn_backend()"));
        RijnExtensions.register(bare);
        assertTrue(bare.sql("SELECT rijn_backend()").head().getString(0).startsWith("librijn 0.1.0, "));
    }

    @Test
    void rijn_backend_names_the_implementation() {
        values();
        for (boolean generated : new boolean[] {true, false}) {
            generated(generated);
            assertTrue(spark.sql("SELECT rijn_backend() FROM v").head().getString(0).startsWith("librijn 0.1.0, "));
            Row described = spark.sql("DESCRIBE FUNCTION rijn_open").collectAsList().get(2);
            assertTrue(described.getString(0).contains("rijn_open(value, keyset, context[, aad[, format]])"));
        }
        spark.conf().set("spark.rijn.native", "never");
        try {
            assertEquals("javax.crypto: spark.rijn.native is never",
                    spark.sql("SELECT rijn_backend()").head().getString(0));
            every_format_of_the_jvm();
        } finally {
            spark.conf().unset("spark.rijn.native");
        }
        assertNotEquals("javax", spark.sql("SELECT rijn_backend()").head().getString(0).substring(0, 5));
    }

    private void every_format_of_the_jvm() {
        for (String name : NAMES) {
            String more = "'" + name + "', " + context(name) + ", id";
            Dataset<Row> opened = spark.sql("SELECT rijn_open(rijn_seal(t, " + more + "), " + more + ") o FROM v");
            if (name.startsWith("gcm-siv") || name.startsWith("aegis")) {
                Throwable error = assertThrows(Exception.class, opened::collectAsList);
                assertTrue(text(error).contains("needs the native library"), text(error));
            } else {
                assertEquals(5, opened.filter("o IS NOT NULL").count());
            }
        }
    }

    private static String text(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
