package rijn.spark;

/** A key in the native library's memory. close() overwrites it. */
final class NativeKey implements RowKey {
    private long key;

    NativeKey(Algorithm algorithm, byte[] secret) {
        key = Native.key(algorithm.ordinal(), secret);
    }

    @Override
    public void seal(byte[] out, int head, byte[] in, int start, int size, byte[] ad, int adSize) {
        check(Native.seal(key, out, head, in, start, size, ad, adSize));
    }

    @Override
    public boolean open(byte[] out, byte[] in, int start, int size, byte[] ad, int adSize) {
        int status = Native.open(key, out, in, start, size, ad, adSize);
        if (status == Native.NOT_GENUINE) {
            return false;
        }
        check(status);
        return true;
    }

    @Override
    public void close() {
        long last = key;
        key = 0;
        Native.wipe(last);
    }

    private static void check(int status) {
        if (status != Native.OK) {
            throw new IllegalStateException("librijn: " + Native.text(status));
        }
    }
}
