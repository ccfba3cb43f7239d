/* Published vectors on every backend, and on the oracle, which other tests rely on. */
#include "check.h"
#include "oracle_modes.h"

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

/* ---- SP 800-38A F.3.7 (CFB8), F.3.13 (CFB128), F.4.1 (OFB); OpenSSL's first of IGE ---- */

#define CFB8_CIPHER "3b79424c9c0dd436bace9e0ed4586a4f32b9"
#define CFB_CIPHER \
    "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b" \
    "26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6"
#define OFB_CIPHER \
    "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825" \
    "9740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e"
#define IGE_CIPHER "1a8519a6557be652e9da8e43da4ef4453cf456b4ca488aa383c79c98b34797cb"

/* ---- IEEE 1619-2007 annex B, vectors 2 and 15 (vector 1 has equal halves) ---- */

static const struct {
    int number;
    const char *key, *tweak, *plain, *cipher;
} xts_cases[] = {
    {2, "1111111111111111111111111111111122222222222222222222222222222222",
     "33333333330000000000000000000000",
     "4444444444444444444444444444444444444444444444444444444444444444",
     "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"},
    {15, "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
     "9a785634120000000000000000000000", "000102030405060708090a0b0c0d0e0f10",
     "6c1625db4671522d3d7599601de7ca09ed"},
};

/* ---- RFC 4493 section 4: beginnings of SP_PLAIN under SP_KEY_128 ---- */

static const struct {
    size_t size;
    const char *tag;
} cmac_cases[] = {
    {0, "bb1d6929e95937287fa37d129b756746"},
    {16, "070a16b46b4d4144f79bdd9dd04a287c"},
    {40, "dfa66747de9ae63030ca32611497c827"},
    {64, "51f0bebf7e3b9d92fc49741779363cfe"},
};

/* ---- RFC 5297 appendix A.1 and A.2 ---- */

static const struct {
    const char *name, *key, *strings[3], *plain, *tag, *cipher;
} siv_cases[] = {
    {"A.1",
     "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
     {"101112131415161718191a1b1c1d1e1f2021222324252627"},
     "112233445566778899aabbccddee",
     "85632d07c6e8f37f950acd320a2ecc93",
     "40c02b9690c4dc04daef7f6afe5c"},
    {"A.2",
     "7f7e7d7c7b7a79787776757473727170404142434445464748494a4b4c4d4e4f",
     {"00112233445566778899aabbccddeeffdeaddadadeaddadaffeeddccbbaa99887766554433221100",
      "102030405060708090a0", "09f911029d74e35bd84156c5635688c0"},
     "7468697320697320736f6d6520706c61696e7465787420746f20656e6372797074207573696e672053"
     "49562d414553",
     "7bdb6e3b432667eb06f4d14bff2fbd0f",
     "cb900f2fddbe404326601965c889bf17dba77ceb094fa663b7a3f748ba8af829ea64ad544a272e9c48"
     "5b62a3fd5c0d"},
};

/* ---- RFC 8452 appendices C.1, C.2, C.3 (a counter that wraps); SP 800-38C C.1, C.2;
 * RFC 7253 appendix A; Bellare, Rogaway and Wagner appendix E; c2sp.org/XAES-256-GCM ---- */

#define ONE_KEY_128 "01000000000000000000000000000000"
#define ONE_KEY_256 ONE_KEY_128 "00000000000000000000000000000000"
#define THREES "0303030303030303030303030303030303030303030303030303030303030303"
#define ONES "0101010101010101010101010101010101010101010101010101010101010101"
#define A_TO_X "4142434445464748494a4b4c4d4e4f505152535455565758"
#define BYTE_KEY_128 "000102030405060708090a0b0c0d0e0f"

typedef rijn_status seal_call(const rijn_key *, uint8_t *, uint8_t *, size_t, const uint8_t *,
                              size_t, const uint8_t *, size_t, const uint8_t *, size_t);
typedef rijn_status open_call(const rijn_key *, uint8_t *, const uint8_t *, size_t, const uint8_t *,
                              size_t, const uint8_t *, size_t, const uint8_t *, size_t);

static const struct {
    const char *name;
    seal_call *seal;
    open_call *open;
    oracle_aead *oracle;
    const char *key, *nonce, *ad, *plain, *cipher, *tag;
} aead_cases[] = {
    {"RFC 8452 C.1", rijn_gcm_siv_seal, rijn_gcm_siv_open, oracle_gcm_siv, ONE_KEY_128,
     "030000000000000000000000", "", "0100000000000000", "b5d839330ac7b786",
     "578782fff6013b815b287c22493a364c"},
    {"RFC 8452 C.2", rijn_gcm_siv_seal, rijn_gcm_siv_open, oracle_gcm_siv, ONE_KEY_256,
     "030000000000000000000000", "", "0100000000000000", "c2ef328e5c71c83b",
     "843122130f7364b761e0b97427e3df28"},
    {"RFC 8452 C.3", rijn_gcm_siv_seal, rijn_gcm_siv_open, oracle_gcm_siv, ZERO_KEY_256, ZERO_NONCE,
     "", ZERO_BLOCK "4db923dc793ee6497c76dcc03a98e108",
     "f3f80f2cf0cb2dd9c5984fcda908456cc537703b5ba70324a6793a7bf218d3ea",
     "ffffffff000000000000000000000000"},
    {"SP 800-38C C.1", rijn_ccm_seal, rijn_ccm_open, oracle_ccm, "404142434445464748494a4b4c4d4e4f",
     "10111213141516", "0001020304050607", "20212223", "7162015b", "4dac255d"},
    {"SP 800-38C C.2", rijn_ccm_seal, rijn_ccm_open, oracle_ccm, "404142434445464748494a4b4c4d4e4f",
     "1011121314151617", BYTE_KEY_128, "202122232425262728292a2b2c2d2e2f",
     "d2a1f0e051ea5f62081a7792073d593d", "1fc64fbfaccd"},
    {"RFC 7253 A, first", rijn_ocb_seal, rijn_ocb_open, oracle_ocb, BYTE_KEY_128,
     "bbaa99887766554433221100", "", "", "", "785407bfffc8ad9edcc5520ac9111ee6"},
    {"RFC 7253 A, second", rijn_ocb_seal, rijn_ocb_open, oracle_ocb, BYTE_KEY_128,
     "bbaa99887766554433221101", "0001020304050607", "0001020304050607", "6820b3657b6f615a",
     "5725bda0d3b4eb3a257c9af1f8f03009"},
    {"EAX E, first", rijn_eax_seal, rijn_eax_open, oracle_eax, "233952dee4d5ed5f9b9c6d6ff80ff478",
     "62ec67f9c3a4a407fcb2a8c49031a8b3", "6bfb914fd07eae6b", "", "",
     "e037830e8389f27b025a2d6527e79d01"},
    {"EAX E, second", rijn_eax_seal, rijn_eax_open, oracle_eax, "91945d3f4dcbee0bf45ef52255f095a4",
     "becaf043b0a23d843194ba972c66debd", "fa3bfd4806eb53fa", "f7fb", "19dd",
     "5c4c9331049d0bdab0277408f67967e5"},
    {"XAES, first", rijn_xaes_seal, rijn_xaes_open, oracle_xaes, ONES, A_TO_X, "",
     "584145532d3235362d47434d", "ce546ef63c9cc60765923609", "b33a9a1974e96e52daf2fcf7075e2271"},
    {"XAES, second", rijn_xaes_seal, rijn_xaes_open, oracle_xaes, THREES, A_TO_X,
     "633273702e6f72672f584145532d3235362d47434d", "584145532d3235362d47434d",
     "986ec1832593df5443a17943", "7fd083bf3fdb41abd740a21f71eb769d"},
};

/* ---- RFC 3394 sections 4.1 and 4.6, RFC 5649 section 6 ---- */

static const struct {
    const char *name, *key, *plain, *wrapped;
    bool padded;
} wrap_cases[] = {
    {"RFC 3394 4.1", BYTE_KEY_128, "00112233445566778899aabbccddeeff",
     "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5", false},
    {"RFC 3394 4.6", BYTE_KEY_128 "101112131415161718191a1b1c1d1e1f",
     "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f",
     "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21", false},
    {"RFC 5649, 20 bytes", "5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8",
     "c37b7e6492584340bed12207808941155068f738",
     "138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a", true},
    {"RFC 5649, 7 bytes", "5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8", "466f7250617369",
     "afbeb0f07dfbf5419200f2ccb50bb24f", true},
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

static void test_oracle_modes(void)
{
    uint8_t key_bytes[64], plain[80], cipher[80], iv[32], ad[64], tag[16], out[80], got[16];
    oracle_key key;

    note("oracle, SP 800-38A F.3 and F.4");
    oracle_init(&key, key_bytes, from_hex(key_bytes, 16, SP_KEY_128));
    from_hex(plain, 64, SP_PLAIN);
    from_hex(iv, 16, SP_IV);
    oracle_cfb(&key, false, 1, iv, out, plain, from_hex(cipher, 18, CFB8_CIPHER));
    CHECK_BYTES(out, cipher, 18);
    oracle_cfb(&key, false, 16, iv, out, plain, from_hex(cipher, 64, CFB_CIPHER));
    CHECK_BYTES(out, cipher, 64);
    oracle_ofb(&key, iv, out, plain, from_hex(cipher, 64, OFB_CIPHER));
    CHECK_BYTES(out, cipher, 64);
    for (size_t i = 0; i < COUNT(cmac_cases); i++) {
        note("oracle, RFC 4493, %zu bytes", cmac_cases[i].size);
        from_hex(tag, 16, cmac_cases[i].tag);
        oracle_cmac(&key, got, plain, cmac_cases[i].size);
        CHECK_BYTES(got, tag, 16);
    }
    for (size_t i = 0; i < COUNT(xts_cases); i++) {
        note("oracle, IEEE 1619 vector %d", xts_cases[i].number);
        const size_t key_size = from_hex(key_bytes, 64, xts_cases[i].key);
        from_hex(iv, 16, xts_cases[i].tweak);
        const size_t size = from_hex(plain, 80, xts_cases[i].plain);
        from_hex(cipher, 80, xts_cases[i].cipher);
        oracle_xts(key_bytes, key_size, false, iv, out, plain, size);
        CHECK_BYTES(out, cipher, size);
        oracle_xts(key_bytes, key_size, true, iv, out, cipher, size);
        CHECK_BYTES(out, plain, size);
    }
    for (size_t i = 0; i < COUNT(aead_cases); i++) {
        note("oracle, %s", aead_cases[i].name);
        const size_t key_size = from_hex(key_bytes, 32, aead_cases[i].key);
        const size_t nonce_size = from_hex(iv, 32, aead_cases[i].nonce);
        const size_t ad_size = from_hex(ad, 64, aead_cases[i].ad);
        const size_t size = from_hex(plain, 64, aead_cases[i].plain);
        const size_t tag_size = from_hex(tag, 16, aead_cases[i].tag);
        from_hex(cipher, 64, aead_cases[i].cipher);
        aead_cases[i].oracle(key_bytes, key_size, out, got, tag_size, iv, nonce_size, ad, ad_size,
                             plain, size);
        CHECK_BYTES(out, cipher, size);
        CHECK_BYTES(got, tag, tag_size);
    }
    for (size_t i = 0; i < COUNT(wrap_cases); i++) {
        note("oracle, %s", wrap_cases[i].name);
        oracle_init(&key, key_bytes, from_hex(key_bytes, 32, wrap_cases[i].key));
        const size_t size = from_hex(plain, 80, wrap_cases[i].plain);
        const size_t wrapped = from_hex(cipher, 80, wrap_cases[i].wrapped);
        CHECK((wrap_cases[i].padded ? oracle_kwp : oracle_kw)(&key, out, plain, size) == wrapped);
        CHECK_BYTES(out, cipher, wrapped);
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
        CHECK_STATUS(rijn_gcm_tag(&key, got, 16, nonce, nonce_size, ad, ad_size, cipher, size),
                     RIJN_OK);
        CHECK_BYTES(got, tag, 16);
    }
}

static void test_feedback(const rijn_backend_info *backend)
{
    uint8_t key_bytes[16], plain[64], cipher[64], iv[32], out[64];
    rijn_key key;

    note("%s, SP 800-38A F.3 and F.4", backend->name);
    make_key(&key, key_bytes, from_hex(key_bytes, 16, SP_KEY_128), backend->name);
    from_hex(plain, 64, SP_PLAIN);
    from_hex(cipher, 18, CFB8_CIPHER);
    from_hex(iv, 16, SP_IV);
    CHECK_STATUS(rijn_cfb8_encrypt(&key, iv, out, plain, 18), RIJN_OK);
    CHECK_BYTES(out, cipher, 18);
    from_hex(iv, 16, SP_IV);
    CHECK_STATUS(rijn_cfb8_decrypt(&key, iv, out, cipher, 18), RIJN_OK);
    CHECK_BYTES(out, plain, 18);
    from_hex(cipher, 64, CFB_CIPHER);
    from_hex(iv, 16, SP_IV);
    CHECK_STATUS(rijn_cfb_encrypt(&key, iv, NULL, out, plain, 64), RIJN_OK);
    CHECK_BYTES(out, cipher, 64);
    from_hex(iv, 16, SP_IV);
    CHECK_STATUS(rijn_cfb_decrypt(&key, iv, NULL, out, cipher, 64), RIJN_OK);
    CHECK_BYTES(out, plain, 64);
    from_hex(cipher, 64, OFB_CIPHER);
    from_hex(iv, 16, SP_IV);
    CHECK_STATUS(rijn_ofb_crypt(&key, iv, NULL, out, plain, 64), RIJN_OK);
    CHECK_BYTES(out, cipher, 64);

    note("%s, IGE", backend->name);
    make_key(&key, key_bytes, from_hex(key_bytes, 16, BYTE_KEY_128), backend->name);
    from_hex(iv, 32, BYTE_KEY_128 "101112131415161718191a1b1c1d1e1f");
    memset(plain, 0, 32);
    from_hex(cipher, 32, IGE_CIPHER);
    CHECK_STATUS(rijn_ige_encrypt(&key, iv, out, plain, 32), RIJN_OK);
    CHECK_BYTES(out, cipher, 32);
    from_hex(iv, 32, BYTE_KEY_128 "101112131415161718191a1b1c1d1e1f");
    CHECK_STATUS(rijn_ige_decrypt(&key, iv, out, cipher, 32), RIJN_OK);
    CHECK_BYTES(out, plain, 32);
}

static void test_xts(const rijn_backend_info *backend)
{
    uint8_t bytes[64], plain[80], cipher[80], tweak[16], out[80];
    rijn_xts_key key;

    for (size_t i = 0; i < COUNT(xts_cases); i++) {
        note("%s, IEEE 1619 vector %d", backend->name, xts_cases[i].number);
        const size_t key_size = from_hex(bytes, 64, xts_cases[i].key);
        CHECK_STATUS(rijn_xts_key_init(&key, bytes, key_size, backend->name), RIJN_OK);
        from_hex(tweak, 16, xts_cases[i].tweak);
        const size_t size = from_hex(plain, 80, xts_cases[i].plain);
        from_hex(cipher, 80, xts_cases[i].cipher);
        CHECK_STATUS(rijn_xts_encrypt(&key, tweak, out, plain, size), RIJN_OK);
        CHECK_BYTES(out, cipher, size);
        CHECK_STATUS(rijn_xts_decrypt(&key, tweak, out, cipher, size), RIJN_OK);
        CHECK_BYTES(out, plain, size);
    }
}

static void test_cmac(const rijn_backend_info *backend)
{
    uint8_t key_bytes[16], message[64], tag[16], got[16];
    rijn_key key;

    make_key(&key, key_bytes, from_hex(key_bytes, 16, SP_KEY_128), backend->name);
    from_hex(message, 64, SP_PLAIN);
    for (size_t i = 0; i < COUNT(cmac_cases); i++) {
        note("%s, RFC 4493, %zu bytes", backend->name, cmac_cases[i].size);
        from_hex(tag, 16, cmac_cases[i].tag);
        CHECK_STATUS(rijn_cmac(&key, got, 16, message, cmac_cases[i].size), RIJN_OK);
        CHECK_BYTES(got, tag, 16);
    }
}

static void test_siv(const rijn_backend_info *backend)
{
    uint8_t bytes[64], memory[3][64], plain[80], cipher[80], tag[16], out[80], got[16];
    rijn_siv_key key;

    for (size_t i = 0; i < COUNT(siv_cases); i++) {
        rijn_string strings[3];
        size_t count = 0;
        note("%s, RFC 5297 %s", backend->name, siv_cases[i].name);
        for (; count < 3 && siv_cases[i].strings[count] != NULL; count++)
            strings[count] = (rijn_string){
                memory[count], from_hex(memory[count], 64, siv_cases[i].strings[count])};
        const size_t key_size = from_hex(bytes, 64, siv_cases[i].key);
        CHECK_STATUS(rijn_siv_key_init(&key, bytes, key_size, backend->name), RIJN_OK);
        const size_t size = from_hex(plain, 80, siv_cases[i].plain);
        from_hex(cipher, 80, siv_cases[i].cipher);
        from_hex(tag, 16, siv_cases[i].tag);
        CHECK_STATUS(rijn_siv_seal(&key, out, got, strings, count, plain, size), RIJN_OK);
        CHECK_BYTES(out, cipher, size);
        CHECK_BYTES(got, tag, 16);
        CHECK_STATUS(rijn_siv_open(&key, out, tag, strings, count, cipher, size), RIJN_OK);
        CHECK_BYTES(out, plain, size);
    }
}

static void test_aeads(const rijn_backend_info *backend)
{
    uint8_t bytes[32], plain[64], cipher[64], nonce[32], ad[64], tag[16], out[64], got[16];
    rijn_key key;

    for (size_t i = 0; i < COUNT(aead_cases); i++) {
        note("%s, %s", backend->name, aead_cases[i].name);
        make_key(&key, bytes, from_hex(bytes, 32, aead_cases[i].key), backend->name);
        CHECK_STATUS(rijn_key_allow_short_tags(&key), RIJN_OK);
        const size_t nonce_size = from_hex(nonce, 32, aead_cases[i].nonce);
        const size_t ad_size = from_hex(ad, 64, aead_cases[i].ad);
        const size_t size = from_hex(plain, 64, aead_cases[i].plain);
        const size_t tag_size = from_hex(tag, 16, aead_cases[i].tag);
        from_hex(cipher, 64, aead_cases[i].cipher);
        CHECK_STATUS(aead_cases[i].seal(&key, out, got, tag_size, nonce, nonce_size, ad, ad_size,
                                        plain, size),
                     RIJN_OK);
        CHECK_BYTES(out, cipher, size);
        CHECK_BYTES(got, tag, tag_size);
        CHECK_STATUS(aead_cases[i].open(&key, out, tag, tag_size, nonce, nonce_size, ad, ad_size,
                                        cipher, size),
                     RIJN_OK);
        CHECK_BYTES(out, plain, size);
    }
}

static void test_wrap(const rijn_backend_info *backend)
{
    uint8_t bytes[32], plain[64], wrapped[80], out[80];
    rijn_key key;

    for (size_t i = 0; i < COUNT(wrap_cases); i++) {
        const bool padded = wrap_cases[i].padded;
        note("%s, %s", backend->name, wrap_cases[i].name);
        make_key(&key, bytes, from_hex(bytes, 32, wrap_cases[i].key), backend->name);
        const size_t size = from_hex(plain, 64, wrap_cases[i].plain);
        const size_t wrapped_size = from_hex(wrapped, 80, wrap_cases[i].wrapped);
        size_t plain_size = size;
        CHECK_STATUS((padded ? rijn_kwp_wrap : rijn_kw_wrap)(&key, out, plain, size), RIJN_OK);
        CHECK_BYTES(out, wrapped, wrapped_size);
        CHECK_STATUS(padded ? rijn_kwp_unwrap(&key, out, &plain_size, wrapped, wrapped_size)
                            : rijn_kw_unwrap(&key, out, wrapped, wrapped_size),
                     RIJN_OK);
        CHECK(plain_size == size);
        CHECK_BYTES(out, plain, size);
    }
}

static void run(const rijn_backend_info *backend)
{
    test_fips197(backend);
    test_sp800_38a(backend);
    test_gcm(backend);
    test_feedback(backend);
    test_xts(backend);
    test_cmac(backend);
    test_siv(backend);
    test_aeads(backend);
    test_wrap(backend);
}

int main(int argc, char **argv)
{
    test_oracle();
    test_oracle_modes();
    return test_backends(argc, argv, run);
}
