package rijn.spark;

/** A key for rows, of librijn or javax.crypto. Only one caller may use it at a time. */
interface RowKey extends AutoCloseable {
    /**
     * Seals in[start .. start + size) with the associated data ad[0 .. adSize) into the row
     * out[head ..), which already starts with the nonce.
     */
    void seal(byte[] out, int head, byte[] in, int start, int size, byte[] ad, int adSize);

    /**
     * Opens the row in[start .. start + size) into all of out, which has the size of the value.
     * Returns false if the row is not genuine; then out is zeros.
     */
    boolean open(byte[] out, byte[] in, int start, int size, byte[] ad, int adSize);

    /** Overwrites the key, but not the copies that javax.crypto makes. */
    @Override
    void close();
}
