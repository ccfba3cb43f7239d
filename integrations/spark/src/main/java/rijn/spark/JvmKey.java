package rijn.spark;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key of javax.crypto, for machines where the native library does not load: AES-GCM, XAES-256-GCM
 * and AES-SIV. javax.crypto keeps copies of the key, which are not wiped.
 */
abstract class JvmKey implements RowKey {
    private static final int BLOCK = 16;

    /** Throws UnsupportedOperationException for algorithms that javax.crypto does not have. */
    static RowKey of(Algorithm algorithm, byte[] secret) {
        switch (algorithm) {
            case GCM:
                return new Gcm(secret);
            case XAES:
                return new Xaes(secret);
            case SIV:
                return new Siv(secret);
            default:
                throw new UnsupportedOperationException(algorithm.title
                        + " needs the native library, which is not used here: " + Library.why());
        }
    }

    @Override
    public void close() {}

    static Cipher cipher(String name) {
        try {
            return Cipher.getInstance(name);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("this JVM has no " + name);
        }
    }

    static SecretKeySpec aes(byte[] bytes) {
        return new SecretKeySpec(bytes, "AES");
    }

    /** Returns the exception for an unexpected failure. Its message contains no data. */
    static IllegalStateException broken(GeneralSecurityException error) {
        return new IllegalStateException(
                "javax.crypto failed on a row: " + error.getClass().getSimpleName());
    }

    /** Doubles a block in the field of CMAC (SP 800-38B section 6.1). */
    static void dbl(byte[] block) {
        int carry = 0;
        for (int i = BLOCK - 1; i >= 0; i--) {
            int wide = (block[i] & 0xff) << 1 | carry;
            block[i] = (byte) wide;
            carry = wide >> 8;
        }
        block[BLOCK - 1] ^= (byte) (0x87 & -carry);
    }

    static void xor(byte[] into, int at, byte[] from) {
        for (int i = 0; i < BLOCK; i++) {
            into[at + i] ^= from[i];
        }
    }

    private static class Gcm extends JvmKey {
        private final Cipher cipher = cipher("AES/GCM/NoPadding");
        private final SecretKeySpec key;

        Gcm(byte[] secret) {
            key = secret == null ? null : aes(secret);
        }

        /** Returns how many bytes of the nonce precede GCM's nonce. They select a derived key. */
        int derived() {
            return 0;
        }

        SecretKeySpec keyOf(byte[] row, int at) {
            return key;
        }

        @Override
        public void seal(
                byte[] out, int head, byte[] in, int start, int size, byte[] ad, int adSize) {
            int nonce = head + derived();
            try {
                GCMParameterSpec spec = new GCMParameterSpec(8 * Algorithm.TAG, out, nonce, 12);
                cipher.init(Cipher.ENCRYPT_MODE, keyOf(out, head), spec);
                cipher.updateAAD(ad, 0, adSize);
                cipher.doFinal(in, start, size, out, nonce + 12);
            } catch (GeneralSecurityException error) {
                throw broken(error);
            }
        }

        @Override
        public boolean open(byte[] out, byte[] in, int start, int size, byte[] ad, int adSize) {
            int nonce = start + derived();
            try {
                GCMParameterSpec spec = new GCMParameterSpec(8 * Algorithm.TAG, in, nonce, 12);
                cipher.init(Cipher.DECRYPT_MODE, keyOf(in, start), spec);
                cipher.updateAAD(ad, 0, adSize);
                cipher.doFinal(in, nonce + 12, start + size - nonce - 12, out, 0);
                return true;
            } catch (AEADBadTagException error) {
                Arrays.fill(out, (byte) 0);
                return false;
            } catch (GeneralSecurityException error) {
                Arrays.fill(out, (byte) 0);
                throw broken(error);
            }
        }
    }

    /** XAES-256-GCM (c2sp.org/XAES-256-GCM). */
    private static final class Xaes extends Gcm {
        private static final int PREFIX = 12; // bytes of the nonce that a derived key depends on
        private static final int CACHED = 256; // derived keys, indexed by the prefix's first byte

        private final byte[][] prefixes = new byte[CACHED][];
        private final SecretKeySpec[] keys = new SecretKeySpec[CACHED];
        private final Cipher ecb = cipher("AES/ECB/NoPadding");
        private final byte[] mask = new byte[BLOCK];

        Xaes(byte[] secret) {
            super(null);
            try {
                ecb.init(Cipher.ENCRYPT_MODE, aes(secret));
                ecb.doFinal(new byte[BLOCK], 0, BLOCK, mask, 0);
            } catch (GeneralSecurityException error) {
                throw broken(error);
            }
            dbl(mask);
        }

        @Override
        int derived() {
            return PREFIX;
        }

        @Override
        SecretKeySpec keyOf(byte[] row, int at) {
            int place = row[at] & (CACHED - 1);
            byte[] known = prefixes[place];
            if (known == null || !Arrays.equals(known, 0, PREFIX, row, at, at + PREFIX)) {
                byte[] blocks = new byte[2 * BLOCK];
                for (int i = 0; i < 2; i++) {
                    blocks[BLOCK * i + 1] = (byte) (i + 1);
                    blocks[BLOCK * i + 2] = 'X';
                    System.arraycopy(row, at, blocks, BLOCK * i + 4, PREFIX);
                    xor(blocks, BLOCK * i, mask);
                }
                try {
                    byte[] derived = ecb.doFinal(blocks);
                    keys[place] = aes(derived);
                    Arrays.fill(derived, (byte) 0);
                } catch (GeneralSecurityException error) {
                    throw broken(error);
                }
                prefixes[place] = Arrays.copyOfRange(row, at, at + PREFIX);
            }
            return keys[place];
        }

        @Override
        public void close() {
            Arrays.fill(mask, (byte) 0);
        }
    }

    /** AES-SIV (RFC 5297) with one associated string. */
    private static final class Siv extends JvmKey {
        private static final int PIECE = 4096; // bytes, a multiple of a block

        private final Cipher cbc = cipher("AES/CBC/NoPadding");
        private final Cipher ctr = cipher("AES/CTR/NoPadding");
        private final SecretKeySpec ctrKey;
        private final byte[] single = new byte[BLOCK]; // CMAC's subkey for a whole last block
        private final byte[] padded = new byte[BLOCK]; // CMAC's subkey for a padded last block
        private final byte[] ofZero = new byte[BLOCK]; // the CMAC of a block of zeros
        private final byte[] piece = new byte[PIECE];

        Siv(byte[] secret) {
            int half = secret.length / 2;
            ctrKey = aes(Arrays.copyOfRange(secret, half, secret.length));
            try {
                cbc.init(
                        Cipher.ENCRYPT_MODE,
                        aes(Arrays.copyOf(secret, half)),
                        new IvParameterSpec(new byte[BLOCK]));
                cbc.doFinal(new byte[BLOCK], 0, BLOCK, single, 0);
                dbl(single);
                System.arraycopy(single, 0, padded, 0, BLOCK);
                dbl(padded);
                cmac(new byte[BLOCK], 0, BLOCK, null, ofZero);
            } catch (GeneralSecurityException error) {
                throw broken(error);
            }
        }

        /**
         * Computes the CMAC (SP 800-38B) of in[start .. start + size). If `end` is not null, it is
         * XORed into the last 16 bytes first.
         */
        private void cmac(byte[] in, int start, int size, byte[] end, byte[] tag)
                throws GeneralSecurityException {
            // All blocks but the last one or two are used unchanged.
            int keep = Math.min(size, BLOCK + (size % BLOCK == 0 ? 0 : size % BLOCK));
            int whole = size - keep;
            for (int at = 0; at < whole; at += PIECE) {
                cbc.update(in, start + at, Math.min(PIECE, whole - at), piece);
            }
            byte[] last = new byte[Math.max(BLOCK, (keep + BLOCK - 1) / BLOCK * BLOCK)];
            System.arraycopy(in, start + whole, last, 0, keep);
            if (end != null) {
                xor(last, keep - BLOCK, end);
            }
            if (keep < last.length) {
                last[keep] = (byte) 0x80;
            }
            xor(last, last.length - BLOCK, keep < last.length ? padded : single);
            byte[] sealed = cbc.doFinal(last);
            System.arraycopy(sealed, sealed.length - BLOCK, tag, 0, BLOCK);
            Arrays.fill(last, (byte) 0);
        }

        private byte[] s2v(byte[] in, int start, int size, byte[] ad, int adSize)
                throws GeneralSecurityException {
            byte[] sum = ofZero.clone();
            byte[] tag = new byte[BLOCK];
            cmac(ad, 0, adSize, null, tag);
            dbl(sum);
            xor(sum, 0, tag);
            if (size >= BLOCK) {
                cmac(in, start, size, sum, tag);
            } else {
                dbl(sum);
                byte[] block = Arrays.copyOf(Arrays.copyOfRange(in, start, start + size), BLOCK);
                block[size] = (byte) 0x80;
                xor(block, 0, sum);
                cmac(block, 0, BLOCK, null, tag);
            }
            return tag;
        }

        private void crypt(byte[] iv, byte[] in, int start, int size, byte[] out, int to)
                throws GeneralSecurityException {
            byte[] counter = iv.clone();
            counter[8] &= 0x7f;
            counter[12] &= 0x7f;
            ctr.init(Cipher.ENCRYPT_MODE, ctrKey, new IvParameterSpec(counter));
            ctr.doFinal(in, start, size, out, to);
        }

        @Override
        public void seal(
                byte[] out, int head, byte[] in, int start, int size, byte[] ad, int adSize) {
            try {
                byte[] iv = s2v(in, start, size, ad, adSize);
                System.arraycopy(iv, 0, out, head, BLOCK);
                crypt(iv, in, start, size, out, head + BLOCK);
            } catch (GeneralSecurityException error) {
                throw broken(error);
            }
        }

        @Override
        public boolean open(byte[] out, byte[] in, int start, int size, byte[] ad, int adSize) {
            try {
                byte[] iv = Arrays.copyOfRange(in, start, start + BLOCK);
                crypt(iv, in, start + BLOCK, size - BLOCK, out, 0);
                if (MessageDigest.isEqual(iv, s2v(out, 0, out.length, ad, adSize))) {
                    return true;
                }
                Arrays.fill(out, (byte) 0);
                return false;
            } catch (GeneralSecurityException error) {
                Arrays.fill(out, (byte) 0);
                throw broken(error);
            }
        }

        @Override
        public void close() {
            for (byte[] each : new byte[][] {single, padded, ofZero, piece}) {
                Arrays.fill(each, (byte) 0);
            }
        }
    }
}
