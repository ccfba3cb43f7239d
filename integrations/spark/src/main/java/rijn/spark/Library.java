package rijn.spark;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads the native library for this machine from the jar, once in each JVM. */
final class Library {
    private static final Logger LOG = LoggerFactory.getLogger(Library.class);
    private static final Map<String, String> MACHINES =
            Map.of("amd64", "x86_64", "x86_64", "x86_64", "aarch64", "aarch64", "arm64", "aarch64");
    private static final String FILE = "librijn_spark.so";

    /** When to use the native library: spark.rijn.native. */
    enum Use {
        AUTO, // if it loads; otherwise javax.crypto
        NEVER,
        ALWAYS; // an error if it does not load

        static Use named(String name) {
            for (Use each : values()) {
                if (each.title().equals(name)) {
                    return each;
                }
            }
            throw new IllegalArgumentException("spark.rijn.native must be auto, never or always");
        }

        String title() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Why the library is not loaded; null if it is. */
    private static final String MISSING = load();

    private Library() {}

    /** Returns why the native library is not used: a sentence without its period. */
    static String why() {
        return MISSING == null ? "spark.rijn.native is never" : MISSING;
    }

    /** Returns the result of rijn_backend(). */
    static String backend(Use use) {
        return used(use)
                ? "librijn " + Native.version() + ", " + Native.backend()
                : "javax.crypto: " + why();
    }

    static RowKey key(Algorithm algorithm, byte[] secret, Use use) {
        return used(use) ? new NativeKey(algorithm, secret) : JvmKey.of(algorithm, secret);
    }

    private static boolean used(Use use) {
        if (use == Use.ALWAYS && MISSING != null) {
            throw new IllegalStateException("spark.rijn.native is always, but " + MISSING);
        }
        return use != Use.NEVER && MISSING == null;
    }

    private static String load() {
        String missing;
        try {
            missing = extract(System.getProperty("os.name"), System.getProperty("os.arch"));
        } catch (IOException | UnsatisfiedLinkError | RuntimeException error) {
            missing = "the native library does not load (" + error.getMessage() + ")";
        }
        if (missing == null) {
            LOG.info("Rijn: {}", "librijn " + Native.version() + ", " + Native.backend());
        } else {
            LOG.warn("Rijn: {}. Rows are sealed by javax.crypto, which is slower and has neither"
                    + " AES-GCM-SIV nor AEGIS.", missing);
        }
        return missing;
    }

    /** Loads the library. Returns null, or why there is none for this machine. */
    private static String extract(String system, String processor) throws IOException {
        String machine = MACHINES.get(processor);
        String place = "native/linux-" + machine + "/" + FILE;
        byte[] bytes = null;
        if (system.equals("Linux") && machine != null) {
            try (InputStream in = Library.class.getResourceAsStream(place)) {
                bytes = in == null ? null : in.readAllBytes();
            }
        }
        if (bytes == null) {
            return "the jar has no native library for " + system + " on " + processor;
        }
        // A new folder with an unpredictable name, which only its owner may enter.
        Path folder = Files.createTempDirectory(
                "rijn-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path file = folder.resolve(FILE);
        try {
            Files.write(file, bytes, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            System.load(file.toString());
        } finally { // the loaded library stays mapped
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
        check();
        return null;
    }

    /** Checks that the library has the jar's version and gives the same rows as javax.crypto. */
    private static void check() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Library.class.getResourceAsStream("version.properties")) {
            properties.load(in);
        }
        if (!Native.version().equals(properties.getProperty("version"))) {
            throw new IllegalStateException("its version differs from the jar's");
        }
        for (Algorithm algorithm :
                new Algorithm[] {Algorithm.GCM, Algorithm.XAES, Algorithm.SIV}) {
            byte[] secret = new byte[32];
            byte[] text = "one row, of no meaning".getBytes();
            byte[][] rows = new byte[2][algorithm.nonceSize + text.length + Algorithm.TAG];
            try (RowKey one = new NativeKey(algorithm, secret);
                    RowKey other = JvmKey.of(algorithm, secret)) {
                one.seal(rows[0], 0, text, 0, text.length, text, 3);
                other.seal(rows[1], 0, text, 0, text.length, text, 3);
            }
            if (!Arrays.equals(rows[0], rows[1])) {
                throw new IllegalStateException("it fails its self-test");
            }
        }
    }
}
