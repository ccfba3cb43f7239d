package rijn.spark;

/** A key at work on rows, of librijn or of the JVM, for one caller at a time. */
interface RowKey extends AutoCloseable {
    /**
     * Seals in[start .. start + size) into the row out[head ..), where the nonce stands already,
     * under the associated data ad[0 .. adSize).
     */
    void seal(byte[] out, int head, byte[] in, int start, int size, byte[] ad, int adSize);

    /**
     * Opens the row in[start .. start + size) into all of out, which is as long as its text. Returns
     * false where the row is not genuine: then out has nothing of it.
     */
    boolean open(byte[] out, byte[] in, int start, int size, byte[] ad, int adSize);

    /** Overwrites the key; of what javax.crypto copied, nothing. */
    @Override
    void close();
}
