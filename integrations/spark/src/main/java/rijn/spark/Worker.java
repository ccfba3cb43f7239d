package rijn.spark;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import org.apache.spark.TaskContext;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Seals and opens the rows of one task. At its start it reads its keyset and draws the random start of
 * its nonces, so it shares nothing with other tasks, attempts or processes. Its keys are overwritten
 * when the task ends. Values are Spark's: UTF8String or byte[].
 *
 * <p>Public for the code that Spark generates.
 */
public final class Worker {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int MARK = 5; // bytes: 01 || key id, the start of Tink's rows
    private static final int XAES_RANDOM = 16; // bytes of a nonce, before the counter
    private static final int POOL = 4096; // random bytes drawn at once

    /** The expanded keys and the marks of their rows. The first key is the primary one. */
    private static final class Keys implements Runnable {
        final RowKey[] keys;
        final Algorithm[] algorithms;
        final byte[][] marks; // empty if rows do not name their key
        private boolean wiped;

        Keys(int count) {
            keys = new RowKey[count];
            algorithms = new Algorithm[count];
            marks = new byte[count][];
        }

        /** Wipes the keys, at the end of the task or, without a task, at garbage collection. */
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
    private long sealed; // rows of XAES so far
    private boolean closed;
    private byte[] ad; // the framed associated data; rows share the first adHead bytes
    private final int adHead;
    private final boolean framed;

    // The bytes of the last value of read().
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
     * Starts a worker for the calling task. The end of the task closes it; without a task, garbage
     * collection wipes its keys. Throws KeysetException, IllegalStateException or
     * UnsupportedOperationException.
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

    /** Seals a value with the primary key. aad is null if the call has none. */
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

    /** Opens a row with the right key of the keyset. Throws NotGenuineException. */
    public synchronized byte[] open(Object row, Object aad) {
        byte[] text = tryOpen(row, aad);
        if (text == null) {
            throw new NotGenuineException("a row is not genuine: it was altered, or sealed with"
                    + " another key, context or aad, or not in format " + format.title);
        }
        return text;
    }

    /** Like open, but returns null for a row that is not genuine. */
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

    /** Throws the exception for a NULL aad beside a value. */
    public static byte[] refuseNull() {
        throw new IllegalArgumentException(
                "aad is NULL beside a value: use '' for no associated data");
    }

    /** Overwrites the keys. Later calls throw. */
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
            throw new IllegalStateException("the task has ended, and its keys were wiped");
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

    /** Copies a row's associated data to `ad`, framed. Returns the size. */
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

    /** Writes a nonce. XAES: this object's 16 random bytes, then a count. Others: random bytes. */
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
