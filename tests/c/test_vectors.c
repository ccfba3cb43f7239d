/* Published vectors, typed in, on every backend; and on the oracle, which so
 * earns its right to judge in the other tests. */
#include "check.h"
#include "oracle.h"

/* ---- FIPS 197 (2023): the example of appendix B, and the ciphertexts that its
 * 2001 edition printed in appendix C.1 to C.3 ---- */

static const struct {
    const char *name, *key, *plain, *cipher;
} fips197[] = {
    {"B", "2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734",
     "3925841d02dc09fbdc118597196a0b32"},
    {"C.1", "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
     "69c4e0d86a7b0430d8cdb78070b4c55a"},
    {"C.2", "000102030405060708090a0b0c0d0e0f1011121314151617", "00112233445566778899aabbccddeeff",
     "dda97ca4864cdfe06eaf70a0ec0d7191"},
    {"C.3", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
     "00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089"},
};

/* ---- SP 800-38A appendix F: F.1 (ECB), F.2 (CBC), F.5 (CTR) ---- */

#define SP_KEY_128 "2b7e151628aed2a6abf7158809cf4f3c"
#define SP_KEY_192 "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"
#define SP_KEY_256 "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
#define SP_IV "000102030405060708090a0b0c0d0e0f"
#define SP_COUNTER "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
#define SP_PLAIN \
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51" \
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"

static const struct {
    const char *key, *ecb, *cbc, *ctr;
} sp800_38a[] = {
    {SP_KEY_128,
     "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
     "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
     "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
     "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
     "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
     "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"},
    {SP_KEY_192,
     "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef"
     "ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
     "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
     "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
     "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
     "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"},
    {SP_KEY_256,
     "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"
     "b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
     "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
     "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
     "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
     "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"},
};

/* ---- McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix
 * B, test cases 1 to 18 ---- */

#define ZERO_KEY_128 "00000000000000000000000000000000"
#define ZERO_KEY_192 ZERO_KEY_128 "0000000000000000"
#define ZERO_KEY_256 ZERO_KEY_128 ZERO_KEY_128
#define KEY_128 "feffe9928665731c6d6a8f9467308308"
#define KEY_192 KEY_128 "feffe9928665731c"
#define KEY_256 KEY_128 KEY_128
#define ZERO_NONCE "000000000000000000000000"
#define NONCE_64 "cafebabefacedbad"
#define NONCE_96 "cafebabefacedbaddecaf888"
#define NONCE_480 \
    "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728" \
    "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b"
#define ZERO_BLOCK "00000000000000000000000000000000"
#define PLAIN_60 \
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" \
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define PLAIN_64 PLAIN_60 "1aafd255"
#define AD "feedfacedeadbeeffeedfacedeadbeefabaddad2"

static const struct {
    int number;
    const char *key, *nonce, *ad, *plain, *cipher, *tag;
} gcm_cases[] = {
    {1, ZERO_KEY_128, ZERO_NONCE, "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"},
    {2, ZERO_KEY_128, ZERO_NONCE, "", ZERO_BLOCK, "0388dace60b6a392f328c2b971b2fe78",
     "ab6e47d42cec13bdf53a67b21257bddf"},
    {3, KEY_128, NONCE_96, "", PLAIN_64,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c"
     "7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
     "4d5c2af327cd64a62cf35abd2ba6fab4"},
    {4, KEY_128, NONCE_96, AD, PLAIN_60,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c"
     "7d8f6a5aac84aa051ba30b396a0aac973d58e091",
     "5bc94fbc3221a5db94fae95ae7121a47"},
    {5, KEY_128, NONCE_64, AD, PLAIN_60,
     "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c742373806900e49f24b2"
     "2b097544d4896b424989b5e1ebac0f07c23f4598",
     "3612d2e79e3b0785561be14aaca2fccb"},
    {6, KEY_128, NONCE_480, AD, PLAIN_60,
     "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca701e4a9a4fba43c90"
     "ccdcb281d48c7c6fd62875d2aca417034c34aee5",
     "619cc5aefffe0bfa462af43c1699d050"},
    {7, ZERO_KEY_192, ZERO_NONCE, "", "", "", "cd33b28ac773f74ba00ed1f312572435"},
    {8, ZERO_KEY_192, ZERO_NONCE, "", ZERO_BLOCK, "98e7247c07f0fe411c267e4384b0f600",
     "2ff58d80033927ab8ef4d4587514f0fb"},
    {9, KEY_192, NONCE_96, "", PLAIN_64,
     "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525"
     "ac619d18c84a3f4718e2448b2fe324d9ccda2710acade256",
     "9924a7c8587336bfb118024db8674a14"},
    {10, KEY_192, NONCE_96, AD, PLAIN_60,
     "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525"
     "ac619d18c84a3f4718e2448b2fe324d9ccda2710",
     "2519498e80f1478f37ba55bd6d27618c"},
    {11, KEY_192, NONCE_64, AD, PLAIN_60,
     "0f10f599ae14a154ed24b36e25324db8c566632ef2bbb34f8347280fc4507057fddc29df9a471f75"
     "c66541d4d4dad1c9e93a19a58e8b473fa0f062f7",
     "65dcc57fcf623a24094fcca40d3533f8"},
    {12, KEY_192, NONCE_480, AD, PLAIN_60,
     "d27e88681ce3243c4830165a8fdcf9ff1de9a1d8e6b447ef6ef7b79828666e4581e79012af34ddd9"
     "e2f037589b292db3e67c036745fa22e7e9b7373b",
     "dcf566ff291c25bbb8568fc3d376a6d9"},
    {13, ZERO_KEY_256, ZERO_NONCE, "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {14, ZERO_KEY_256, ZERO_NONCE, "", ZERO_BLOCK, "cea7403d4d606b6e074ec5d3baf39d18",
     "d0d1c8a799996bf0265b98b5d48ab919"},
    {15, KEY_256, NONCE_96, "", PLAIN_64,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3d"
     "a7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
     "b094dac5d93471bdec1a502270e3cc6c"},
    {16, KEY_256, NONCE_96, AD, PLAIN_60,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3d"
     "a7b08b1056828838c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
    {17, KEY_256, NONCE_64, AD, PLAIN_60,
     "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0feb582d33934a4f0"
     "954cc2363bc73f7862ac430e64abe499f47c9b1f",
     "3a337dbf46a792c45e454913fe2ea8f2"},
    {18, KEY_256, NONCE_480, AD, PLAIN_60,
     "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf40fc0c3b780f24445"
     "2da3ebf1c5d82cdea2418997200ef82e44ae7e3f",
     "a44a8266ee1c8eb0c8b5d4cf5ae9f19a"},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- The oracle ---- */

static void test_oracle(void)
{
    uint8_t key_bytes[32], plain[64], cipher[64], nonce[64], ad[64], tag[16], out[64], got[16];
    oracle_key key;

    for (size_t i = 0; i < COUNT(fips197); i++) {
        note("oracle, FIPS 197 %s", fips197[i].name);
        oracle_init(&key, key_bytes, from_hex(key_bytes, 32, fips197[i].key));
        from_hex(plain, 16, fips197[i].plain);
        from_hex(cipher, 16, fips197[i].cipher);
        oracle_encrypt(&key, out, plain);
        CHECK_BYTES(out, cipher, 16);
        oracle_decrypt(&key, out, cipher);
        CHECK_BYTES(out, plain, 16);
    }
    for (size_t i = 0; i < COUNT(gcm_cases); i++) {
        note("oracle, GCM test case %d", gcm_cases[i].number);
        oracle_init(&key, key_bytes, from_hex(key_bytes, 32, gcm_cases[i].key));
        const size_t nonce_size = from_hex(nonce, 64, gcm_cases[i].nonce);
        const size_t ad_size = from_hex(ad, 64, gcm_cases[i].ad);
        const size_t size = from_hex(plain, 64, gcm_cases[i].plain);
        from_hex(cipher, 64, gcm_cases[i].cipher);
        from_hex(tag, 16, gcm_cases[i].tag);
        oracle_gcm(&key, false, out, got, nonce, nonce_size, ad, ad_size, plain, size);
        CHECK_BYTES(out, cipher, size);
        CHECK_BYTES(got, tag, 16);
    }
}

/* ---- The backends ---- */

static void test_fips197(const rijn_backend_info *backend)
{
    uint8_t key_bytes[32], plain[16], cipher[16], out[16];
    rijn_key key;

    for (size_t i = 0; i < COUNT(fips197); i++) {
        note("%s, FIPS 197 %s", backend->name, fips197[i].name);
        make_key(&key, key_bytes, from_hex(key_bytes, 32, fips197[i].key), backend->name);
        from_hex(plain, 16, fips197[i].plain);
        from_hex(cipher, 16, fips197[i].cipher);
        CHECK_STATUS(rijn_ecb_encrypt(&key, out, plain, 16), RIJN_OK);
        CHECK_BYTES(out, cipher, 16);
        CHECK_STATUS(rijn_ecb_decrypt(&key, out, cipher, 16), RIJN_OK);
        CHECK_BYTES(out, plain, 16);
    }
}

static void test_sp800_38a(const rijn_backend_info *backend)
{
    uint8_t key_bytes[32], plain[64], cipher[64], iv[16], counter[16], out[64];
    rijn_key key;

    from_hex(plain, 64, SP_PLAIN);
    from_hex(counter, 16, SP_COUNTER);
    for (size_t i = 0; i < COUNT(sp800_38a); i++) {
        const size_t key_size = from_hex(key_bytes, 32, sp800_38a[i].key);
        note("%s, SP 800-38A appendix F, AES-%zu", backend->name, key_size * 8);
        make_key(&key, key_bytes, key_size, backend->name);

        from_hex(cipher, 64, sp800_38a[i].ecb);
        CHECK_STATUS(rijn_ecb_encrypt(&key, out, plain, 64), RIJN_OK);
        CHECK_BYTES(out, cipher, 64);
        CHECK_STATUS(rijn_ecb_decrypt(&key, out, cipher, 64), RIJN_OK);
        CHECK_BYTES(out, plain, 64);

        from_hex(cipher, 64, sp800_38a[i].cbc);
        from_hex(iv, 16, SP_IV);
        CHECK_STATUS(rijn_cbc_encrypt(&key, iv, out, plain, 64), RIJN_OK);
        CHECK_BYTES(out, cipher, 64);
        from_hex(iv, 16, SP_IV);
        CHECK_STATUS(rijn_cbc_decrypt(&key, iv, out, cipher, 64), RIJN_OK);
        CHECK_BYTES(out, plain, 64);

        from_hex(cipher, 64, sp800_38a[i].ctr);
        CHECK_STATUS(rijn_ctr_crypt(&key, counter, out, plain, 64), RIJN_OK);
        CHECK_BYTES(out, cipher, 64);
        CHECK_STATUS(rijn_ctr_crypt(&key, counter, out, cipher, 64), RIJN_OK);
        CHECK_BYTES(out, plain, 64);
    }
}

static void test_gcm(const rijn_backend_info *backend)
{
    uint8_t key_bytes[32], plain[64], cipher[64], nonce[64], ad[64], tag[16], out[64], got[16];
    rijn_key key;

    for (size_t i = 0; i < COUNT(gcm_cases); i++) {
        note("%s, GCM test case %d", backend->name, gcm_cases[i].number);
        make_key(&key, key_bytes, from_hex(key_bytes, 32, gcm_cases[i].key), backend->name);
        const size_t nonce_size = from_hex(nonce, 64, gcm_cases[i].nonce);
        const size_t ad_size = from_hex(ad, 64, gcm_cases[i].ad);
        const size_t size = from_hex(plain, 64, gcm_cases[i].plain);
        from_hex(cipher, 64, gcm_cases[i].cipher);
        from_hex(tag, 16, gcm_cases[i].tag);

        CHECK_STATUS(rijn_gcm_seal(&key, out, got, 16, nonce, nonce_size, ad, ad_size, plain, size),
                     RIJN_OK);
        CHECK_BYTES(out, cipher, size);
        CHECK_BYTES(got, tag, 16);
        CHECK_STATUS(
            rijn_gcm_open(&key, out, tag, 16, nonce, nonce_size, ad, ad_size, cipher, size),
            RIJN_OK);
        CHECK_BYTES(out, plain, size);
    }
}

static void run(const rijn_backend_info *backend)
{
    test_fips197(backend);
    test_sp800_38a(backend);
    test_gcm(backend);
}

int main(int argc, char **argv)
{
    test_oracle();
    return test_backends(argc, argv, run);
}
