package rijn.spark;

/** The functions of native/glue.c. Library loads them. */
final class Native {
    static final int OK = 0;
    static final int NOT_GENUINE = 8; // RIJN_ERR_TAG

    private Native() {}

    /**
     * Expands a key. Returns its address, for the calls below. Throws IllegalArgumentException for a
     * wrong size.
     *
     * @param algorithm the ordinal of an Algorithm
     */
    static native long key(int algorithm, byte[] secret);

    /** Overwrites and frees the key. Its address is invalid afterwards. */
    static native void wipe(long key);

    /**
     * Seals in[start .. start + size) into the row out[head ..), which already starts with the nonce.
     * Returns a rijn_status.
     */
    static native int seal(
            long key, byte[] out, int head, byte[] in, int start, int size, byte[] ad, int adSize);

    /** Opens the row in[start .. start + size) into all of out. Returns a rijn_status. */
    static native int open(
            long key, byte[] out, byte[] in, int start, int size, byte[] ad, int adSize);

    /** Returns the text of a rijn_status. */
    static native String text(int status);

    static native String version();

    /** Returns the name of the default backend on this machine. */
    static native String backend();
}
