package rijn.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

/** Tests rows of librijn and of javax.crypto, without Spark. */
class WorkerTest {
    private static final byte[] CONTEXT = "customers.email".getBytes();

    private static Worker worker(Format format, Library.Use use, Keysets.Entry... keys) {
        byte[] context = format.framed ? CONTEXT : null;
        return worker(format, context, use, Keysets.json(keys));
    }

    private static Worker worker(Format format, byte[] context, Library.Use use, String json) {
        return Worker.start(new Reference("k", "env:K", format, context, use), name -> json);
    }

    private static byte[] noise(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private record Case(Format format, Algorithm algorithm, int size) {
        Worker worker(Library.Use use) {
            return WorkerTest.worker(format, use, new Keysets.Entry(5, algorithm, size));
        }
    }

    private static List<Case> cases(boolean ofJvm) {
        List<Case> cases = new ArrayList<>();
        for (Format format : Format.values()) {
            for (Algorithm algorithm : format.algorithms) {
                for (int size : Keysets.sizes(algorithm)) {
                    if (!ofJvm || algorithm.ordinal() <= Algorithm.SIV.ordinal()) {
                        cases.add(new Case(format, algorithm, size));
                    }
                }
            }
        }
        return cases;
    }

    @Test
    void librijn_and_the_jvm_open_each_others_rows() {
        List<Case> cases = cases(true);
        assertEquals(1 + 3 + 3 + 3 + 1 + 3, cases.size());
        for (Case each : cases) {
            Worker ours = each.worker(Library.Use.ALWAYS);
            Worker theirs = each.worker(Library.Use.NEVER);
            for (int size : new int[] {0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 100, 4095, 4096, 4097, 8209, 70_000}) {
                for (byte[] aad : new byte[][] {null, new byte[0], noise(1), noise(16), noise(5000)}) {
                    byte[] text = noise(size);
                    byte[] one = ours.seal(text, aad);
                    byte[] other = theirs.seal(text, aad);
                    assertEquals(one.length, other.length);
                    assertArrayEquals(text, theirs.open(one, aad), each.toString());
                    assertArrayEquals(text, ours.open(other, aad), each.toString());
                    if (each.algorithm == Algorithm.SIV) {
                        assertArrayEquals(one, other);
                    }
                }
            }
        }
    }

    @Test
    void altered_and_shortened_rows_do_not_open() {
        for (Library.Use use : new Library.Use[] {Library.Use.ALWAYS, Library.Use.NEVER}) {
            for (Case each : cases(use == Library.Use.NEVER)) {
                Worker worker = each.worker(use);
                byte[] row = worker.seal("some text of a row".getBytes(), CONTEXT);
                for (int bit = 0; bit < 8 * row.length; bit++) {
                    byte[] other = row.clone();
                    other[bit / 8] ^= (byte) (1 << bit % 8);
                    assertNull(worker.tryOpen(other, CONTEXT), each + " " + bit);
                }
                for (int size = 0; size < row.length; size++) {
                    byte[] shorter = Arrays.copyOf(row, size);
                    assertNull(worker.tryOpen(shorter, CONTEXT));
                    assertThrows(NotGenuineException.class, () -> worker.open(shorter, CONTEXT));
                }
                assertNull(worker.tryOpen(Arrays.copyOf(row, row.length + 1), CONTEXT));
                assertArrayEquals("some text of a row".getBytes(), worker.open(row, CONTEXT));
            }
        }
    }

    /** A refused row leaves zeros in the output array. */
    @Test
    void refused_rows_leave_no_plaintext() {
        for (Library.Use use : new Library.Use[] {Library.Use.ALWAYS, Library.Use.NEVER}) {
            for (Case each : cases(use == Library.Use.NEVER)) {
                byte[] secret = new Keysets.Entry(5, each.algorithm, each.size).secret();
                try (RowKey key = Library.key(each.algorithm, secret, use)) {
                    byte[] row = new byte[each.algorithm.nonceSize + 40 + Algorithm.TAG];
                    key.seal(row, 0, noise(40), 0, 40, CONTEXT, 4);
                    row[row.length - 1] ^= 1;
                    byte[] out = noise(40);
                    assertFalse(key.open(out, row, 0, row.length, CONTEXT, 4));
                    assertArrayEquals(new byte[40], out);
                }
            }
        }
    }

    @Test
    void a_context_frames_the_associated_data() {
        byte[] aad = "1001".getBytes();
        byte[] framed = ByteBuffer.allocate(8 + CONTEXT.length + 8 + aad.length)
                .putLong(CONTEXT.length).put(CONTEXT).putLong(aad.length).put(aad).array();
        var key = new Keysets.Entry(5, Algorithm.GCM, 32);
        Worker with = worker(Format.SPARK, CONTEXT, Library.Use.ALWAYS, Keysets.json(key));
        Worker without = worker(Format.SPARK, null, Library.Use.ALWAYS, Keysets.json(key));
        assertArrayEquals(aad, without.open(with.seal(aad, aad), framed));
        assertArrayEquals(aad, with.open(without.seal(aad, framed), aad));
        assertNull(without.tryOpen(with.seal(aad, aad), aad));
    }

    @Test
    void older_keys_open_and_the_primary_one_seals() {
        for (Format format : new Format[] {Format.XAES, Format.TINK}) {
            var old = new Keysets.Entry(1, Algorithm.XAES, 32, "TINK", "ENABLED");
            var raw = new Keysets.Entry(2, Algorithm.XAES, 32, "RAW", "ENABLED");
            var now = new Keysets.Entry(0xfedcba98L, Algorithm.XAES, 32, "TINK", "ENABLED");
            var off = new Keysets.Entry(1, Algorithm.XAES, 32, "TINK", "DISABLED");
            Worker all = worker(format, Library.Use.AUTO, now, raw, old);
            for (Keysets.Entry each : new Keysets.Entry[] {old, raw, now}) {
                byte[] row = worker(format, Library.Use.AUTO, each).seal(CONTEXT, null);
                assertArrayEquals(CONTEXT, all.open(row, null));
                Worker less = worker(format, Library.Use.AUTO, now, raw, off);
                assertEquals(each == old, less.tryOpen(row, null) == null);
            }
            byte[] row = all.seal(CONTEXT, null);
            assertArrayEquals(CONTEXT, worker(format, Library.Use.AUTO, now).open(row, null));
            if (format == Format.TINK) {
                byte[] mark = {1, (byte) 0xfe, (byte) 0xdc, (byte) 0xba, (byte) 0x98};
                assertArrayEquals(mark, Arrays.copyOf(row, 5));
            }
        }
    }

    @Test
    void nonces_are_random_and_xaes_counts() {
        for (Library.Use use : new Library.Use[] {Library.Use.ALWAYS, Library.Use.NEVER}) {
            Set<String> seen = new HashSet<>();
            for (Case each : cases(use == Library.Use.NEVER)) {
                Set<String> starts = new HashSet<>();
                int size = each.algorithm.nonceSize;
                int drawn = each.algorithm == Algorithm.XAES ? 16 : size;
                byte[] first = null;
                boolean[] varies = new boolean[drawn]; // two nonces differ in this byte
                for (int i = 0; i < 8 && size > 0; i++) {
                    Worker worker = each.worker(use);
                    for (long row = 0; row < 400; row++) {
                        byte[] nonce = Arrays.copyOf(worker.seal(CONTEXT, null), size);
                        assertTrue(seen.add(Arrays.toString(nonce)));
                        first = first == null ? nonce : first;
                        for (int at = 0; at < drawn; at++) {
                            varies[at] |= nonce[at] != first[at];
                        }
                        if (each.algorithm == Algorithm.XAES) {
                            assertEquals(row, ByteBuffer.wrap(nonce).getLong(16));
                            starts.add(Arrays.toString(Arrays.copyOf(nonce, 12)));
                        }
                    }
                }
                assertEquals(each.algorithm == Algorithm.XAES ? 8 : 0, starts.size());
                for (boolean one : varies) {
                    assertTrue(one, "a byte of the nonce is not random");
                }
            }
        }
    }

    @Test
    void rows_open_with_more_derived_keys_than_are_cached() {
        for (Library.Use use : new Library.Use[] {Library.Use.ALWAYS, Library.Use.NEVER}) {
            Case xaes = new Case(Format.XAES, Algorithm.XAES, 32);
            List<byte[]> rows = new ArrayList<>();
            for (int i = 0; i < 600; i++) {
                rows.add(xaes.worker(use).seal(String.valueOf(i).getBytes(), null));
            }
            Worker worker = xaes.worker(use);
            for (int i = 0; i < 1800; i++) {
                int n = i * 7 % 600;
                assertArrayEquals(String.valueOf(n).getBytes(), worker.open(rows.get(n), null));
            }
        }
    }

    @Test
    void text_inside_an_array_and_off_the_heap_is_sealed() {
        Worker worker = new Case(Format.SIV, Algorithm.SIV, 64).worker(Library.Use.ALWAYS);
        byte[] around = "before-\u00fcber-behind".getBytes(StandardCharsets.UTF_8);
        UTF8String inside = UTF8String.fromAddress(around, Platform.BYTE_ARRAY_OFFSET + 7, 5);
        byte[] sealed = worker.seal(inside, inside);
        byte[] bare = "\u00fcber".getBytes(StandardCharsets.UTF_8);
        assertArrayEquals(worker.seal(bare, bare), sealed);
        long address = Platform.allocateMemory(5);
        Platform.copyMemory(bare, Platform.BYTE_ARRAY_OFFSET, null, address, 5);
        UTF8String outside = UTF8String.fromAddress(null, address, 5);
        assertArrayEquals(sealed, worker.seal(outside, outside));
        Platform.freeMemory(address);
    }

    @Test
    void a_closed_worker_throws() {
        Worker worker = new Case(Format.XAES, Algorithm.XAES, 32).worker(Library.Use.ALWAYS);
        byte[] row = worker.seal(CONTEXT, null);
        worker.close();
        worker.close();
        assertThrows(IllegalStateException.class, () -> worker.seal(CONTEXT, null));
        assertThrows(IllegalStateException.class, () -> worker.tryOpen(row, null));
        NativeKey key = new NativeKey(Algorithm.GCM, new byte[16]);
        key.close();
        key.close();
        assertThrows(IllegalStateException.class,
                () -> key.seal(new byte[28], 0, new byte[0], 0, 0, new byte[0], 0));
    }

    @Test
    void missing_algorithms_of_the_jvm_are_named() {
        Throwable error = assertThrows(UnsupportedOperationException.class,
                () -> new Case(Format.GCM_SIV, Algorithm.GCM_SIV, 32).worker(Library.Use.NEVER));
        assertEquals("AES-GCM-SIV needs the native library, which is not used here:"
                + " spark.rijn.native is never", error.getMessage());
    }
}
