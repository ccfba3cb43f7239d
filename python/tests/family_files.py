"""The published vectors of the modes beyond the raw ones and GCM: the files, and how many
vectors each must hold (vector_files.py reads them)."""

from __future__ import annotations

from vector_files import CRYPTOGRAPHY, HERE, KEY_BITS, PYCRYPTODOME, VectorFile

PACKAGE = CRYPTOGRAPHY.parent.parent
WYCHEPROOF = PYCRYPTODOME / "wycheproof"
KEY_WRAP = PACKAGE / "keywrap"

# NIST's XTSGen files. In half of them the tweak is a number.
XTS_FILES = [
    VectorFile("XTS CAVP", CRYPTOGRAPHY, f"XTS/{tweak}/XTSGenAES{bits}.rsp", 1000)
    for tweak in ("tweak-128hexstr", "tweak-dataunitseqno")
    for bits in (128, 256)
]
# The number of their vectors in whole bytes. Data units of 130, 140 and 250 bits are not.
XTS_IN_BYTES = {128: 800, 256: 600}
XTS_IEEE_FILE = VectorFile("XTS IEEE 1619", HERE, "xts-ieee-1619.rsp", 19)
XTS_WYCHEPROOF_FILE = VectorFile("XTS Wycheproof", WYCHEPROOF, "aes_xts_test.json", 123)

CMAC_FILES = [
    VectorFile("CMAC SP 800-38B", PACKAGE, f"CMAC/nist-800-38b-aes{bits}.txt", 4)
    for bits in KEY_BITS
]
CMAC_WYCHEPROOF_FILE = VectorFile(
    "CMAC Wycheproof", PYCRYPTODOME.parent, "Hash/wycheproof/aes_cmac_test.json", 311
)

KW_FILES = [
    VectorFile(f"{kind} CAVP", KEY_WRAP, f"kwtestvectors/{kind}_{direction}_{bits}.txt", 500)
    for kind in ("KW", "KWP")
    for direction in ("AE", "AD")
    for bits in KEY_BITS
]
KW_RFC_FILE = VectorFile("KW RFC 3394", HERE, "kw-rfc3394.rsp", 6)
KWP_FILE = VectorFile("KWP RFC 5649 and OpenSSL", KEY_WRAP, "kwp_botan.txt", 129)
KW_WYCHEPROOF_FILES = [
    VectorFile("KW Wycheproof", WYCHEPROOF, "aes_wrap_test.json", 165),
    VectorFile("KWP Wycheproof", WYCHEPROOF, "aes_kwp_test.json", 254),
]

IGE_FILE = VectorFile("IGE", HERE, "ige.rsp", 3)

CCM_COUNTS = {"DVPT": 240, "VADT": 330, "VNT": 70, "VPT": 250, "VTT": 70}
CCM_FILES = [
    VectorFile("CCM CAVP", CRYPTOGRAPHY, f"CCM/{kind}{bits}.rsp", count, marker="COUNT")
    for kind, count in CCM_COUNTS.items()
    for bits in KEY_BITS
]
CCM_EXAMPLE_FILES = [
    VectorFile("CCM SP 800-38C", HERE, "ccm-sp800-38c.rsp", 4),
    VectorFile("CCM RFC 3610", HERE, "ccm-rfc3610.rsp", 24),
]
CCM_WYCHEPROOF_FILE = VectorFile("CCM Wycheproof", WYCHEPROOF, "aes_ccm_test.json", 552)

EAX_WYCHEPROOF_FILE = VectorFile("EAX Wycheproof", WYCHEPROOF, "aes_eax_test.json", 240)

GCM_SIV_FILE = VectorFile("GCM-SIV RFC 8452", CRYPTOGRAPHY, "GCM-SIV/openssl.txt", 46)
GCM_SIV_WYCHEPROOF_FILE = VectorFile("GCM-SIV Wycheproof", WYCHEPROOF, "aes_gcm_siv_test.json", 202)

SIV_FILE = VectorFile("SIV RFC 5297 and OpenSSL", CRYPTOGRAPHY, "SIV/openssl.txt", 4)
SIV_WYCHEPROOF_FILES = [
    VectorFile("SIV Wycheproof", WYCHEPROOF, "aes_siv_cmac_test.json", 442),
    VectorFile("SIV Wycheproof", WYCHEPROOF, "aead_aes_siv_cmac_test.json", 900),
]

# Tags of 16 bytes, by their file in the folder of `cryptography_vectors`, then tags of 12.
OCB3_FILES = [
    VectorFile(source, CRYPTOGRAPHY, f"OCB3/{name}.txt", count)
    for source, name, count in (
        ("OCB3 RFC 7253", "rfc7253", 16),
        ("OCB3 OpenSSL", "openssl", 7),
        ("OCB3 Gillmor", "test-vector-1-nonce104", 16),
        ("OCB3 Gillmor", "test-vector-1-nonce112", 16),
        ("OCB3 Gillmor", "test-vector-1-nonce120", 16),
    )
]
OCB3_SHORT_FILES = [
    VectorFile("OCB3 Gillmor", PYCRYPTODOME, f"AES/test-vector-2-nonce{bits}.txt", 1, marker="C")
    for bits in (104, 112, 120)
]
OCB3_PROGRAM_FILE = VectorFile("OCB3 RFC 7253 program", HERE, "ocb3-rfc7253.rsp", 9)

# Two messages, and two hashes over many.
XAES_FILE = VectorFile("XAES-256-GCM C2SP", HERE, "xaes-256-gcm.rsp", 4)

FAMILY_FILES = [
    *XTS_FILES,
    XTS_IEEE_FILE,
    XTS_WYCHEPROOF_FILE,
    *CMAC_FILES,
    CMAC_WYCHEPROOF_FILE,
    *KW_FILES,
    KW_RFC_FILE,
    KWP_FILE,
    *KW_WYCHEPROOF_FILES,
    IGE_FILE,
    *CCM_FILES,
    *CCM_EXAMPLE_FILES,
    CCM_WYCHEPROOF_FILE,
    EAX_WYCHEPROOF_FILE,
    GCM_SIV_FILE,
    GCM_SIV_WYCHEPROOF_FILE,
    SIV_FILE,
    *SIV_WYCHEPROOF_FILES,
    *OCB3_FILES,
    *OCB3_SHORT_FILES,
    OCB3_PROGRAM_FILE,
    XAES_FILE,
]

# Files in the same folders that the tests skip, with the reason.
LEFT_OUT = {
    r"CMAC/.*3des\.txt|keywrap/.*/TKW.*": "triple DES",
    r"keywrap/.*_inv\.txt": "key wrapping with the inverse cipher, which Rijn does not have",
    r"GCM-SIV/aes-192-.*": "not in RFC 8452, which has keys of 128 and 256 bits",
    r"CCM/DVPT\d+\.txt": "the .rsp of that name, with a reason beside each refusal",
    r".*/Readme\.txt": "no vectors",
}
