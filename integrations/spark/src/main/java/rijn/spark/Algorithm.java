package rijn.spark;

/** An AEAD as keysets name it. */
enum Algorithm {
    // In the order of native/glue.c.
    AES_GCM("AES-GCM", Algorithm.TINK + "AesGcmKey", 3, 12, 16, 24, 32),
    XAES("XAES-256-GCM", Algorithm.TINK + "XAesGcmKey", 3, 24, 32),
    SIV("AES-SIV", Algorithm.TINK + "AesSivKey", 2, 0, 32, 48, 64),
    GCM_SIV("AES-GCM-SIV", Algorithm.TINK + "AesGcmSivKey", 3, 12, 16, 32),
    // Tink has no AEGIS: these are Rijn's own.
    AEGIS_256("AEGIS-256", "rijn/Aegis256Key", 3, 32, 32),
    AEGIS_128L("AEGIS-128L", "rijn/Aegis128LKey", 3, 16, 16);

    static final int TAG = 16; // bytes

    private static final String TINK = "type.googleapis.com/google.crypto.tink.";

    final String title;
    final String typeUrl; // in a keyset's JSON
    final int keyField; // the key's number in the protocol buffer there
    final int nonceSize; // bytes
    private final int[] keySizes; // bytes

    Algorithm(String title, String typeUrl, int keyField, int nonceSize, int... keySizes) {
        this.title = title;
        this.typeUrl = typeUrl;
        this.keyField = keyField;
        this.nonceSize = nonceSize;
        this.keySizes = keySizes;
    }

    boolean takes(int size) {
        for (int each : keySizes) {
            if (each == size) {
                return true;
            }
        }
        return false;
    }

    /** The sizes of its keys, as "16, 24 or 32". */
    String sizes() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < keySizes.length; i++) {
            text.append(i == 0 ? "" : i == keySizes.length - 1 ? " or " : ", ").append(keySizes[i]);
        }
        return text.toString();
    }
}
