package rijn.spark;

/** The calls of native/glue.c, which Library loads. */
final class Native {
    static final int OK = 0;
    static final int NOT_GENUINE = 8; // RIJN_ERR_TAG

    private Native() {}

    /**
     * A key at work, as an address for the calls below; of that algorithm's number. Raises
     * IllegalArgumentException for a key of a wrong size.
     */
    static native long key(int algorithm, byte[] secret);

    /** Overwrites the key, and gives its memory back: the address is of no use any more. */
    static native void wipe(long key);

    /**
     * Seals in[start .. start + size) into out[head ..), where the nonce stands already. Returns a
     * rijn_status.
     */
    static native int seal(
            long key, byte[] out, int head, byte[] in, int start, int size, byte[] ad, int adSize);

    /** Opens the row in[start .. start + size) into all of out. Returns a rijn_status. */
    static native int open(
            long key, byte[] out, byte[] in, int start, int size, byte[] ad, int adSize);

    /** What a rijn_status says. */
    static native String text(int status);

    static native String version();

    /** The name of the backend that keys get here. */
    static native String backend();
}
