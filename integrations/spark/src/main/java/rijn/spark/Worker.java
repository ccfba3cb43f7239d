package rijn.spark;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import org.apache.spark.TaskContext;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Seals and opens the rows of one task. It reads its keyset, and draws what its nonces begin with, when
 * it starts: nothing of it is shared with another task, another attempt or another process. Its keys
 * are overwritten when the task ends. Values are UTF8String or byte[], as Spark has them.
 *
 * <p>Public for the code that Spark generates.
 */
public final class Worker {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int MARK = 5; // bytes, 01 || key id: what rows of Tink begin with
    private static final int XAES_RANDOM = 16; // bytes of a nonce, before the counter
    private static final int POOL = 4096; // random bytes drawn at once

    /** Keys at work and what their rows begin with; the primary one is the first. */
    private static final class Keys implements Runnable {
        final RowKey[] keys;
        final Algorithm[] algorithms;
        final byte[][] marks; // of no bytes where rows do not name their key
        private boolean wiped;

        Keys(int count) {
            keys = new RowKey[count];
            algorithms = new Algorithm[count];
            marks = new byte[count][];
        }

        /** Once, by the end of the task or, where there is none, by the garbage collector. */
        @Override
        public synchronized void run() {
            if (!wiped) {
                wiped = true;
                for (RowKey key : keys) {
                    if (key != null) {
                        key.close();
                    }
                }
            }
        }
    }

    private final Keys keys;
    private final Format format;
    private final SecureRandom random = new SecureRandom();
    private final byte[] pool = new byte[POOL];
    private int drawn = POOL;
    private final byte[] start = new byte[XAES_RANDOM];
    private long sealed; // rows of XAES
    private boolean closed;
    private byte[] ad; // a row's associated data, behind what all rows have
    private final int adHead;
    private final boolean framed;

    // What read() found.
    private byte[] in;
    private int inStart;
    private int inSize;

    private Worker(Reference reference, Keys keys) {
        this.keys = keys;
        format = reference.format;
        framed = reference.context != null;
        random.nextBytes(start);
        byte[] context = framed ? reference.context : new byte[0];
        adHead = framed ? 8 + context.length : 0;
        ad = new byte[adHead + 8 + 64];
        if (framed) {
            ByteBuffer.wrap(ad).putLong(context.length).put(context);
        }
    }

    /**
     * For the task that calls, which ends it; where none does, whoever drops it. Raises KeysetException,
     * IllegalStateException or UnsupportedOperationException.
     */
    public static Worker start(Object reference) {
        Worker worker = start((Reference) reference, System::getenv);
        CLEANER.register(worker, worker.keys);
        TaskContext task = TaskContext.get();
        if (task != null) {
            task.addTaskCompletionListener(
                    (org.apache.spark.util.TaskCompletionListener) it -> worker.close());
        }
        return worker;
    }

    static Worker start(
            Reference reference, java.util.function.UnaryOperator<String> environment) {
        try (Keyset keyset = Keyset.load(reference.sources, environment)) {
            keyset.check(reference.format);
            Keys keys = new Keys(keyset.keys.size());
            boolean whole = false;
            try {
                for (int i = 0; i < keys.keys.length; i++) {
                    Keyset.Key key = keyset.keys.get(i);
                    Algorithm algorithm = key.algorithm() == null
                            ? reference.format.algorithms.get(0)
                            : key.algorithm();
                    keys.algorithms[i] = algorithm;
                    keys.marks[i] = reference.format.prefixed() && !key.raw()
                            ? ByteBuffer.allocate(MARK).put((byte) 1).putInt((int) key.id()).array()
                            : new byte[0];
                    keys.keys[i] = Library.key(algorithm, key.secret(), reference.use);
                }
                whole = true;
            } finally {
                if (!whole) {
                    keys.run();
                }
            }
            return new Worker(reference, keys);
        } catch (KeysetException error) {
            throw new KeysetException("keyset " + reference.name + ": " + error.getMessage());
        }
    }

    /** Seals a value under the primary key; aad is null where the call has none. */
    public synchronized byte[] seal(Object value, Object aad) {
        checkOpen();
        int adSize = associate(aad);
        read(value);
        Algorithm algorithm = keys.algorithms[0];
        byte[] mark = keys.marks[0];
        int overhead = mark.length + algorithm.nonceSize + Algorithm.TAG;
        if (inSize > Integer.MAX_VALUE - 8 - overhead) {
            throw new IllegalArgumentException("a value of " + inSize + " bytes is too long to seal");
        }
        byte[] row = new byte[inSize + overhead];
        System.arraycopy(mark, 0, row, 0, mark.length);
        nonce(algorithm, row, mark.length);
        keys.keys[0].seal(row, mark.length, in, inStart, inSize, ad, adSize);
        in = null;
        return row;
    }

    /** Opens a row under whichever key it has. Raises NotGenuineException. */
    public synchronized byte[] open(Object row, Object aad) {
        byte[] text = tryOpen(row, aad);
        if (text == null) {
            throw new NotGenuineException("a row is not genuine: it was altered, or sealed under"
                    + " another key, context or aad, or in another format than " + format.title);
        }
        return text;
    }

    /** As open; null for a row that is not genuine. */
    public synchronized byte[] tryOpen(Object row, Object aad) {
        checkOpen();
        int adSize = associate(aad);
        read(row);
        byte[] found = null;
        for (int i = 0; found == null && i < keys.keys.length; i++) {
            byte[] mark = keys.marks[i];
            int size = inSize - mark.length - keys.algorithms[i].nonceSize - Algorithm.TAG;
            if (size < 0 || !Arrays.equals(mark, 0, mark.length, in, inStart, inStart + mark.length)) {
                continue;
            }
            byte[] text = new byte[size];
            int at = inStart + mark.length;
            if (keys.keys[i].open(text, in, at, inSize - mark.length, ad, adSize)) {
                found = text;
            }
        }
        in = null;
        return found;
    }

    /** What a null aad beside a value is. */
    public static byte[] refuseNull() {
        throw new IllegalArgumentException("aad is null beside a value that is not");
    }

    /** Overwrites the keys: this seals and opens no more. */
    synchronized void close() {
        closed = true;
        keys.run();
        Arrays.fill(pool, (byte) 0);
        drawn = POOL;
    }

    synchronized boolean closed() {
        return closed;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the task has ended, and its keys are gone");
        }
    }

    private void read(Object value) {
        if (value instanceof byte[] bytes) {
            in = bytes;
            inStart = 0;
            inSize = bytes.length;
            return;
        }
        UTF8String text = (UTF8String) value;
        inSize = text.numBytes();
        if (text.getBaseObject() instanceof byte[] bytes) {
            in = bytes;
            inStart = (int) (text.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
        } else { // off the heap
            in = text.getBytes();
            inStart = 0;
        }
    }

    /** Brings a row's associated data into `ad`; returns how many bytes they are. */
    private int associate(Object aad) {
        if (aad == null) {
            inSize = 0;
        } else {
            read(aad);
        }
        int head = framed ? adHead + 8 : 0;
        if (inSize > Integer.MAX_VALUE - 8 - head) {
            throw new IllegalArgumentException("an aad of " + inSize + " bytes is too long");
        }
        if (ad.length < head + inSize) {
            long wanted = Math.min(2L * (head + inSize), Integer.MAX_VALUE - 8);
            ad = Arrays.copyOf(ad, (int) wanted);
        }
        if (framed) {
            ByteBuffer.wrap(ad).putLong(adHead, inSize);
        }
        if (inSize > 0) {
            System.arraycopy(in, inStart, ad, head, inSize);
        }
        return head + inSize;
    }

    /** XAES counts behind 16 bytes that were drawn for this object; the others draw each nonce. */
    private void nonce(Algorithm algorithm, byte[] row, int at) {
        if (algorithm == Algorithm.XAES) {
            System.arraycopy(start, 0, row, at, XAES_RANDOM);
            ByteBuffer.wrap(row).putLong(at + XAES_RANDOM, sealed++);
            return;
        }
        int size = algorithm.nonceSize;
        if (size > POOL - drawn) {
            random.nextBytes(pool);
            drawn = 0;
        }
        System.arraycopy(pool, drawn, row, at, size);
        Arrays.fill(pool, drawn, drawn + size, (byte) 0);
        drawn += size;
    }
}
