"""Rijn for MicroPython: AES and AEGIS-128L in one file, with the same names as the package `rijn`.

    import rijn
    aead = rijn.AESGCM(key)                      # 16, 24 or 32 secret bytes
    sealed = aead.encrypt(nonce, b"attack at dawn", b"header")
    assert aead.decrypt(nonce, sealed, b"header") == b"attack at dawn"

AESGCM, AEGIS128L   authenticated encryption: use these unless a protocol requires another mode
CMAC                authentication only
AES                 the raw modes ECB, CBC and CTR
InvalidTag          raised when decryption or verification fails
BACKEND             "viper": machine code that MicroPython compiles from the text in _VIPER;
                    "python" on boards without that compiler. Both give the same bytes.

Tested on MicroPython 1.25 to 1.27 and on CPython. Sizes are in bytes. Data are bytes,
bytearray or memoryview of bytes. Other types raise TypeError, and wrong sizes ValueError.
Methods that end in _into write into `buf` and can work in place (`buf` is `data`). Other
overlaps raise ValueError if MicroPython has uctypes, and are undefined otherwise. Callbacks,
interrupts and threads may use the same object at the same time, except a CMAC.

Not constant time: the addresses of table look-ups depend on keys and data. A data cache
(ESP32, a PC) reveals them through time. A Cortex-M0 or M4 has no data cache, but flash behind
an accelerator or an XIP cache (RP2040, STM32F4) acts as one. MicroPython cannot wipe objects:
keys stay in the heap until it is reused.
"""

import sys

__version__ = "0.1.0"

# The S-box (FIPS 197 section 5.1.1), for 9-bit indices: entry x + 256 is the S-box of that value
# modulo the field's polynomial. MixColumns leaves 9 bits, so this look-up also reduces them.
_SBOX = (
    b"\x63\x7c\x77\x7b\xf2\x6b\x6f\xc5\x30\x01\x67\x2b\xfe\xd7\xab\x76\xca\x82\xc9\x7d\xfa\x59"
    b"\x47\xf0\xad\xd4\xa2\xaf\x9c\xa4\x72\xc0\xb7\xfd\x93\x26\x36\x3f\xf7\xcc\x34\xa5\xe5\xf1"
    b"\x71\xd8\x31\x15\x04\xc7\x23\xc3\x18\x96\x05\x9a\x07\x12\x80\xe2\xeb\x27\xb2\x75\x09\x83"
    b"\x2c\x1a\x1b\x6e\x5a\xa0\x52\x3b\xd6\xb3\x29\xe3\x2f\x84\x53\xd1\x00\xed\x20\xfc\xb1\x5b"
    b"\x6a\xcb\xbe\x39\x4a\x4c\x58\xcf\xd0\xef\xaa\xfb\x43\x4d\x33\x85\x45\xf9\x02\x7f\x50\x3c"
    b"\x9f\xa8\x51\xa3\x40\x8f\x92\x9d\x38\xf5\xbc\xb6\xda\x21\x10\xff\xf3\xd2\xcd\x0c\x13\xec"
    b"\x5f\x97\x44\x17\xc4\xa7\x7e\x3d\x64\x5d\x19\x73\x60\x81\x4f\xdc\x22\x2a\x90\x88\x46\xee"
    b"\xb8\x14\xde\x5e\x0b\xdb\xe0\x32\x3a\x0a\x49\x06\x24\x5c\xc2\xd3\xac\x62\x91\x95\xe4\x79"
    b"\xe7\xc8\x37\x6d\x8d\xd5\x4e\xa9\x6c\x56\xf4\xea\x65\x7a\xae\x08\xba\x78\x25\x2e\x1c\xa6"
    b"\xb4\xc6\xe8\xdd\x74\x1f\x4b\xbd\x8b\x8a\x70\x3e\xb5\x66\x48\x03\xf6\x0e\x61\x35\x57\xb9"
    b"\x86\xc1\x1d\x9e\xe1\xf8\x98\x11\x69\xd9\x8e\x94\x9b\x1e\x87\xe9\xce\x55\x28\xdf\x8c\xa1"
    b"\x89\x0d\xbf\xe6\x42\x68\x41\x99\x2d\x0f\xb0\x54\xbb\x16\xaf\xa2\xd4\xad\xc0\x72\xa4\x9c"
    b"\x7d\xc9\x82\xca\xf0\x47\x59\xfa\x2b\x67\x01\x30\x76\xab\xd7\xfe\x7b\x77\x7c\x63\xc5\x6f"
    b"\x6b\xf2\xe2\x80\x12\x07\x75\xb2\x27\xeb\xc3\x23\xc7\x04\x9a\x05\x96\x18\xf1\xe5\xa5\x34"
    b"\x15\x31\xd8\x71\x26\x93\xfd\xb7\xcc\xf7\x3f\x36\x39\xbe\xcb\x6a\xcf\x58\x4c\x4a\xed\x00"
    b"\xd1\x53\x5b\xb1\xfc\x20\xb3\xd6\x3b\x52\x84\x2f\xe3\x29\x1a\x2c\x83\x09\xa0\x5a\x6e\x1b"
    b"\x21\xda\xb6\xbc\xd2\xf3\xff\x10\x8f\x40\xa3\x51\xf5\x38\x9d\x92\x7f\x02\xf9\x45\xa8\x9f"
    b"\x3c\x50\xfb\xaa\xef\xd0\x85\x33\x4d\x43\x14\xb8\xee\x46\xdb\x0b\x5e\xde\xdc\x4f\x81\x60"
    b"\x88\x90\x2a\x22\x3d\x7e\xa7\xc4\x73\x19\x5d\x64\xec\x13\x0c\xcd\x17\x44\x97\x5f\xea\xf4"
    b"\x56\x6c\x08\xae\x7a\x65\x6d\x37\xc8\xe7\xa9\x4e\xd5\x8d\x62\xac\xd3\xc2\x79\xe4\x95\x91"
    b"\x0a\x3a\x32\xe0\x5c\x24\x06\x49\xb9\x57\x35\x61\x9e\x1d\xc1\x86\x66\xb5\x3e\x70\x0e\xf6"
    b"\x03\x48\x1f\x74\xdd\xe8\x8a\x8b\xbd\x4b\x2e\x25\x78\xba\xc6\xb4\xa6\x1c\x0f\x2d\x99\x41"
    b"\x16\xbb\x54\xb0\x0d\x89\xa1\x8c\x68\x42\xe6\xbf\xe9\x87\x1e\x9b\xdf\x28\x55\xce\x11\x98"
    b"\xf8\xe1\x94\x8e\xd9\x69"
)

# The inverse of the S-box.
_UNBOX = (
    b"\x52\x09\x6a\xd5\x30\x36\xa5\x38\xbf\x40\xa3\x9e\x81\xf3\xd7\xfb\x7c\xe3\x39\x82\x9b\x2f"
    b"\xff\x87\x34\x8e\x43\x44\xc4\xde\xe9\xcb\x54\x7b\x94\x32\xa6\xc2\x23\x3d\xee\x4c\x95\x0b"
    b"\x42\xfa\xc3\x4e\x08\x2e\xa1\x66\x28\xd9\x24\xb2\x76\x5b\xa2\x49\x6d\x8b\xd1\x25\x72\xf8"
    b"\xf6\x64\x86\x68\x98\x16\xd4\xa4\x5c\xcc\x5d\x65\xb6\x92\x6c\x70\x48\x50\xfd\xed\xb9\xda"
    b"\x5e\x15\x46\x57\xa7\x8d\x9d\x84\x90\xd8\xab\x00\x8c\xbc\xd3\x0a\xf7\xe4\x58\x05\xb8\xb3"
    b"\x45\x06\xd0\x2c\x1e\x8f\xca\x3f\x0f\x02\xc1\xaf\xbd\x03\x01\x13\x8a\x6b\x3a\x91\x11\x41"
    b"\x4f\x67\xdc\xea\x97\xf2\xcf\xce\xf0\xb4\xe6\x73\x96\xac\x74\x22\xe7\xad\x35\x85\xe2\xf9"
    b"\x37\xe8\x1c\x75\xdf\x6e\x47\xf1\x1a\x71\x1d\x29\xc5\x89\x6f\xb7\x62\x0e\xaa\x18\xbe\x1b"
    b"\xfc\x56\x3e\x4b\xc6\xd2\x79\x20\x9a\xdb\xc0\xfe\x78\xcd\x5a\xf4\x1f\xdd\xa8\x33\x88\x07"
    b"\xc7\x31\xb1\x12\x10\x59\x27\x80\xec\x5f\x60\x51\x7f\xa9\x19\xb5\x4a\x0d\x2d\xe5\x7a\x9f"
    b"\x93\xc9\x9c\xef\xa0\xe0\x3b\x4d\xae\x2a\xf5\xb0\xc8\xeb\xbb\x3c\x83\x53\x99\x61\x17\x2b"
    b"\x04\x7e\xba\x77\xd6\x26\xe1\x69\x14\x63\x55\x21\x0c\x7d\x44\x43\x8e\x34\xcb\xe9\xde\xc4"
    b"\x82\x39\xe3\x7c\x87\xff\x2f\x9b\x9e\xa3\x40\xbf\xfb\xd7\xf3\x81\xd5\x6a\x09\x52\x38\xa5"
    b"\x36\x30\x49\xa2\x5b\x76\x25\xd1\x8b\x6d\x66\xa1\x2e\x08\xb2\x24\xd9\x28\x0b\x95\x4c\xee"
    b"\x4e\xc3\xfa\x42\x32\x94\x7b\x54\x3d\x23\xc2\xa6\x57\x46\x15\x5e\x84\x9d\x8d\xa7\x50\x48"
    b"\x70\x6c\xda\xb9\xed\xfd\xcc\x5c\xa4\xd4\x92\xb6\x65\x5d\x64\xf6\xf8\x72\x16\x98\x68\x86"
    b"\x03\xbd\xaf\xc1\x6b\x8a\x13\x01\x8f\x1e\x2c\xd0\x02\x0f\x3f\xca\x05\x58\xe4\xf7\x06\x45"
    b"\xb3\xb8\x00\xab\xd8\x90\x0a\xd3\xbc\x8c\xe8\x37\xf9\xe2\x6e\xdf\x75\x1c\x22\x74\xac\x96"
    b"\x85\x35\xad\xe7\xce\xcf\xf2\x97\x73\xe6\xb4\xf0\x41\x11\x91\x3a\xea\xdc\x67\x4f\xfe\xc0"
    b"\xdb\x9a\xf4\x5a\xcd\x78\x4b\x3e\x56\xfc\x20\x79\xd2\xc6\x0e\x62\xb7\x6f\x1b\xbe\x18\xaa"
    b"\x71\x1a\xf1\x47\x89\xc5\x29\x1d\x9f\x7a\xe5\x2d\xef\x9c\xc9\x93\xa9\x7f\x51\x60\x0d\x4a"
    b"\xb5\x19\x59\x10\x12\xb1\x5f\xec\x80\x27\x33\xa8\xdd\x1f\x31\xc7\x07\x88\x63\x14\x69\xe1"
    b"\x7d\x0c\x21\x55\x7e\x04\x2b\x17\x26\xd6\x77\xba\x3c\xbb\xeb\xc8\x61\x99\x53\x83\x4d\x3b"
    b"\xe0\xa0\xb0\xf5\x2a\xae"
)

# For each S = SBOX[x] the column (2S, S, S, 3S), twice. The 4 bytes at offset 0, 3, 2 and 1 are
# the contribution of x in row 0, 1, 2 and 3 to a column after MixColumns.
_T = (
    b"\xc6\x63\x63\xa5\xc6\x63\x63\xa5\xf8\x7c\x7c\x84\xf8\x7c\x7c\x84\xee\x77\x77\x99\xee\x77"
    b"\x77\x99\xf6\x7b\x7b\x8d\xf6\x7b\x7b\x8d\xff\xf2\xf2\x0d\xff\xf2\xf2\x0d\xd6\x6b\x6b\xbd"
    b"\xd6\x6b\x6b\xbd\xde\x6f\x6f\xb1\xde\x6f\x6f\xb1\x91\xc5\xc5\x54\x91\xc5\xc5\x54\x60\x30"
    b"\x30\x50\x60\x30\x30\x50\x02\x01\x01\x03\x02\x01\x01\x03\xce\x67\x67\xa9\xce\x67\x67\xa9"
    b"\x56\x2b\x2b\x7d\x56\x2b\x2b\x7d\xe7\xfe\xfe\x19\xe7\xfe\xfe\x19\xb5\xd7\xd7\x62\xb5\xd7"
    b"\xd7\x62\x4d\xab\xab\xe6\x4d\xab\xab\xe6\xec\x76\x76\x9a\xec\x76\x76\x9a\x8f\xca\xca\x45"
    b"\x8f\xca\xca\x45\x1f\x82\x82\x9d\x1f\x82\x82\x9d\x89\xc9\xc9\x40\x89\xc9\xc9\x40\xfa\x7d"
    b"\x7d\x87\xfa\x7d\x7d\x87\xef\xfa\xfa\x15\xef\xfa\xfa\x15\xb2\x59\x59\xeb\xb2\x59\x59\xeb"
    b"\x8e\x47\x47\xc9\x8e\x47\x47\xc9\xfb\xf0\xf0\x0b\xfb\xf0\xf0\x0b\x41\xad\xad\xec\x41\xad"
    b"\xad\xec\xb3\xd4\xd4\x67\xb3\xd4\xd4\x67\x5f\xa2\xa2\xfd\x5f\xa2\xa2\xfd\x45\xaf\xaf\xea"
    b"\x45\xaf\xaf\xea\x23\x9c\x9c\xbf\x23\x9c\x9c\xbf\x53\xa4\xa4\xf7\x53\xa4\xa4\xf7\xe4\x72"
    b"\x72\x96\xe4\x72\x72\x96\x9b\xc0\xc0\x5b\x9b\xc0\xc0\x5b\x75\xb7\xb7\xc2\x75\xb7\xb7\xc2"
    b"\xe1\xfd\xfd\x1c\xe1\xfd\xfd\x1c\x3d\x93\x93\xae\x3d\x93\x93\xae\x4c\x26\x26\x6a\x4c\x26"
    b"\x26\x6a\x6c\x36\x36\x5a\x6c\x36\x36\x5a\x7e\x3f\x3f\x41\x7e\x3f\x3f\x41\xf5\xf7\xf7\x02"
    b"\xf5\xf7\xf7\x02\x83\xcc\xcc\x4f\x83\xcc\xcc\x4f\x68\x34\x34\x5c\x68\x34\x34\x5c\x51\xa5"
    b"\xa5\xf4\x51\xa5\xa5\xf4\xd1\xe5\xe5\x34\xd1\xe5\xe5\x34\xf9\xf1\xf1\x08\xf9\xf1\xf1\x08"
    b"\xe2\x71\x71\x93\xe2\x71\x71\x93\xab\xd8\xd8\x73\xab\xd8\xd8\x73\x62\x31\x31\x53\x62\x31"
    b"\x31\x53\x2a\x15\x15\x3f\x2a\x15\x15\x3f\x08\x04\x04\x0c\x08\x04\x04\x0c\x95\xc7\xc7\x52"
    b"\x95\xc7\xc7\x52\x46\x23\x23\x65\x46\x23\x23\x65\x9d\xc3\xc3\x5e\x9d\xc3\xc3\x5e\x30\x18"
    b"\x18\x28\x30\x18\x18\x28\x37\x96\x96\xa1\x37\x96\x96\xa1\x0a\x05\x05\x0f\x0a\x05\x05\x0f"
    b"\x2f\x9a\x9a\xb5\x2f\x9a\x9a\xb5\x0e\x07\x07\x09\x0e\x07\x07\x09\x24\x12\x12\x36\x24\x12"
    b"\x12\x36\x1b\x80\x80\x9b\x1b\x80\x80\x9b\xdf\xe2\xe2\x3d\xdf\xe2\xe2\x3d\xcd\xeb\xeb\x26"
    b"\xcd\xeb\xeb\x26\x4e\x27\x27\x69\x4e\x27\x27\x69\x7f\xb2\xb2\xcd\x7f\xb2\xb2\xcd\xea\x75"
    b"\x75\x9f\xea\x75\x75\x9f\x12\x09\x09\x1b\x12\x09\x09\x1b\x1d\x83\x83\x9e\x1d\x83\x83\x9e"
    b"\x58\x2c\x2c\x74\x58\x2c\x2c\x74\x34\x1a\x1a\x2e\x34\x1a\x1a\x2e\x36\x1b\x1b\x2d\x36\x1b"
    b"\x1b\x2d\xdc\x6e\x6e\xb2\xdc\x6e\x6e\xb2\xb4\x5a\x5a\xee\xb4\x5a\x5a\xee\x5b\xa0\xa0\xfb"
    b"\x5b\xa0\xa0\xfb\xa4\x52\x52\xf6\xa4\x52\x52\xf6\x76\x3b\x3b\x4d\x76\x3b\x3b\x4d\xb7\xd6"
    b"\xd6\x61\xb7\xd6\xd6\x61\x7d\xb3\xb3\xce\x7d\xb3\xb3\xce\x52\x29\x29\x7b\x52\x29\x29\x7b"
    b"\xdd\xe3\xe3\x3e\xdd\xe3\xe3\x3e\x5e\x2f\x2f\x71\x5e\x2f\x2f\x71\x13\x84\x84\x97\x13\x84"
    b"\x84\x97\xa6\x53\x53\xf5\xa6\x53\x53\xf5\xb9\xd1\xd1\x68\xb9\xd1\xd1\x68\x00\x00\x00\x00"
    b"\x00\x00\x00\x00\xc1\xed\xed\x2c\xc1\xed\xed\x2c\x40\x20\x20\x60\x40\x20\x20\x60\xe3\xfc"
    b"\xfc\x1f\xe3\xfc\xfc\x1f\x79\xb1\xb1\xc8\x79\xb1\xb1\xc8\xb6\x5b\x5b\xed\xb6\x5b\x5b\xed"
    b"\xd4\x6a\x6a\xbe\xd4\x6a\x6a\xbe\x8d\xcb\xcb\x46\x8d\xcb\xcb\x46\x67\xbe\xbe\xd9\x67\xbe"
    b"\xbe\xd9\x72\x39\x39\x4b\x72\x39\x39\x4b\x94\x4a\x4a\xde\x94\x4a\x4a\xde\x98\x4c\x4c\xd4"
    b"\x98\x4c\x4c\xd4\xb0\x58\x58\xe8\xb0\x58\x58\xe8\x85\xcf\xcf\x4a\x85\xcf\xcf\x4a\xbb\xd0"
    b"\xd0\x6b\xbb\xd0\xd0\x6b\xc5\xef\xef\x2a\xc5\xef\xef\x2a\x4f\xaa\xaa\xe5\x4f\xaa\xaa\xe5"
    b"\xed\xfb\xfb\x16\xed\xfb\xfb\x16\x86\x43\x43\xc5\x86\x43\x43\xc5\x9a\x4d\x4d\xd7\x9a\x4d"
    b"\x4d\xd7\x66\x33\x33\x55\x66\x33\x33\x55\x11\x85\x85\x94\x11\x85\x85\x94\x8a\x45\x45\xcf"
    b"\x8a\x45\x45\xcf\xe9\xf9\xf9\x10\xe9\xf9\xf9\x10\x04\x02\x02\x06\x04\x02\x02\x06\xfe\x7f"
    b"\x7f\x81\xfe\x7f\x7f\x81\xa0\x50\x50\xf0\xa0\x50\x50\xf0\x78\x3c\x3c\x44\x78\x3c\x3c\x44"
    b"\x25\x9f\x9f\xba\x25\x9f\x9f\xba\x4b\xa8\xa8\xe3\x4b\xa8\xa8\xe3\xa2\x51\x51\xf3\xa2\x51"
    b"\x51\xf3\x5d\xa3\xa3\xfe\x5d\xa3\xa3\xfe\x80\x40\x40\xc0\x80\x40\x40\xc0\x05\x8f\x8f\x8a"
    b"\x05\x8f\x8f\x8a\x3f\x92\x92\xad\x3f\x92\x92\xad\x21\x9d\x9d\xbc\x21\x9d\x9d\xbc\x70\x38"
    b"\x38\x48\x70\x38\x38\x48\xf1\xf5\xf5\x04\xf1\xf5\xf5\x04\x63\xbc\xbc\xdf\x63\xbc\xbc\xdf"
    b"\x77\xb6\xb6\xc1\x77\xb6\xb6\xc1\xaf\xda\xda\x75\xaf\xda\xda\x75\x42\x21\x21\x63\x42\x21"
    b"\x21\x63\x20\x10\x10\x30\x20\x10\x10\x30\xe5\xff\xff\x1a\xe5\xff\xff\x1a\xfd\xf3\xf3\x0e"
    b"\xfd\xf3\xf3\x0e\xbf\xd2\xd2\x6d\xbf\xd2\xd2\x6d\x81\xcd\xcd\x4c\x81\xcd\xcd\x4c\x18\x0c"
    b"\x0c\x14\x18\x0c\x0c\x14\x26\x13\x13\x35\x26\x13\x13\x35\xc3\xec\xec\x2f\xc3\xec\xec\x2f"
    b"\xbe\x5f\x5f\xe1\xbe\x5f\x5f\xe1\x35\x97\x97\xa2\x35\x97\x97\xa2\x88\x44\x44\xcc\x88\x44"
    b"\x44\xcc\x2e\x17\x17\x39\x2e\x17\x17\x39\x93\xc4\xc4\x57\x93\xc4\xc4\x57\x55\xa7\xa7\xf2"
    b"\x55\xa7\xa7\xf2\xfc\x7e\x7e\x82\xfc\x7e\x7e\x82\x7a\x3d\x3d\x47\x7a\x3d\x3d\x47\xc8\x64"
    b"\x64\xac\xc8\x64\x64\xac\xba\x5d\x5d\xe7\xba\x5d\x5d\xe7\x32\x19\x19\x2b\x32\x19\x19\x2b"
    b"\xe6\x73\x73\x95\xe6\x73\x73\x95\xc0\x60\x60\xa0\xc0\x60\x60\xa0\x19\x81\x81\x98\x19\x81"
    b"\x81\x98\x9e\x4f\x4f\xd1\x9e\x4f\x4f\xd1\xa3\xdc\xdc\x7f\xa3\xdc\xdc\x7f\x44\x22\x22\x66"
    b"\x44\x22\x22\x66\x54\x2a\x2a\x7e\x54\x2a\x2a\x7e\x3b\x90\x90\xab\x3b\x90\x90\xab\x0b\x88"
    b"\x88\x83\x0b\x88\x88\x83\x8c\x46\x46\xca\x8c\x46\x46\xca\xc7\xee\xee\x29\xc7\xee\xee\x29"
    b"\x6b\xb8\xb8\xd3\x6b\xb8\xb8\xd3\x28\x14\x14\x3c\x28\x14\x14\x3c\xa7\xde\xde\x79\xa7\xde"
    b"\xde\x79\xbc\x5e\x5e\xe2\xbc\x5e\x5e\xe2\x16\x0b\x0b\x1d\x16\x0b\x0b\x1d\xad\xdb\xdb\x76"
    b"\xad\xdb\xdb\x76\xdb\xe0\xe0\x3b\xdb\xe0\xe0\x3b\x64\x32\x32\x56\x64\x32\x32\x56\x74\x3a"
    b"\x3a\x4e\x74\x3a\x3a\x4e\x14\x0a\x0a\x1e\x14\x0a\x0a\x1e\x92\x49\x49\xdb\x92\x49\x49\xdb"
    b"\x0c\x06\x06\x0a\x0c\x06\x06\x0a\x48\x24\x24\x6c\x48\x24\x24\x6c\xb8\x5c\x5c\xe4\xb8\x5c"
    b"\x5c\xe4\x9f\xc2\xc2\x5d\x9f\xc2\xc2\x5d\xbd\xd3\xd3\x6e\xbd\xd3\xd3\x6e\x43\xac\xac\xef"
    b"\x43\xac\xac\xef\xc4\x62\x62\xa6\xc4\x62\x62\xa6\x39\x91\x91\xa8\x39\x91\x91\xa8\x31\x95"
    b"\x95\xa4\x31\x95\x95\xa4\xd3\xe4\xe4\x37\xd3\xe4\xe4\x37\xf2\x79\x79\x8b\xf2\x79\x79\x8b"
    b"\xd5\xe7\xe7\x32\xd5\xe7\xe7\x32\x8b\xc8\xc8\x43\x8b\xc8\xc8\x43\x6e\x37\x37\x59\x6e\x37"
    b"\x37\x59\xda\x6d\x6d\xb7\xda\x6d\x6d\xb7\x01\x8d\x8d\x8c\x01\x8d\x8d\x8c\xb1\xd5\xd5\x64"
    b"\xb1\xd5\xd5\x64\x9c\x4e\x4e\xd2\x9c\x4e\x4e\xd2\x49\xa9\xa9\xe0\x49\xa9\xa9\xe0\xd8\x6c"
    b"\x6c\xb4\xd8\x6c\x6c\xb4\xac\x56\x56\xfa\xac\x56\x56\xfa\xf3\xf4\xf4\x07\xf3\xf4\xf4\x07"
    b"\xcf\xea\xea\x25\xcf\xea\xea\x25\xca\x65\x65\xaf\xca\x65\x65\xaf\xf4\x7a\x7a\x8e\xf4\x7a"
    b"\x7a\x8e\x47\xae\xae\xe9\x47\xae\xae\xe9\x10\x08\x08\x18\x10\x08\x08\x18\x6f\xba\xba\xd5"
    b"\x6f\xba\xba\xd5\xf0\x78\x78\x88\xf0\x78\x78\x88\x4a\x25\x25\x6f\x4a\x25\x25\x6f\x5c\x2e"
    b"\x2e\x72\x5c\x2e\x2e\x72\x38\x1c\x1c\x24\x38\x1c\x1c\x24\x57\xa6\xa6\xf1\x57\xa6\xa6\xf1"
    b"\x73\xb4\xb4\xc7\x73\xb4\xb4\xc7\x97\xc6\xc6\x51\x97\xc6\xc6\x51\xcb\xe8\xe8\x23\xcb\xe8"
    b"\xe8\x23\xa1\xdd\xdd\x7c\xa1\xdd\xdd\x7c\xe8\x74\x74\x9c\xe8\x74\x74\x9c\x3e\x1f\x1f\x21"
    b"\x3e\x1f\x1f\x21\x96\x4b\x4b\xdd\x96\x4b\x4b\xdd\x61\xbd\xbd\xdc\x61\xbd\xbd\xdc\x0d\x8b"
    b"\x8b\x86\x0d\x8b\x8b\x86\x0f\x8a\x8a\x85\x0f\x8a\x8a\x85\xe0\x70\x70\x90\xe0\x70\x70\x90"
    b"\x7c\x3e\x3e\x42\x7c\x3e\x3e\x42\x71\xb5\xb5\xc4\x71\xb5\xb5\xc4\xcc\x66\x66\xaa\xcc\x66"
    b"\x66\xaa\x90\x48\x48\xd8\x90\x48\x48\xd8\x06\x03\x03\x05\x06\x03\x03\x05\xf7\xf6\xf6\x01"
    b"\xf7\xf6\xf6\x01\x1c\x0e\x0e\x12\x1c\x0e\x0e\x12\xc2\x61\x61\xa3\xc2\x61\x61\xa3\x6a\x35"
    b"\x35\x5f\x6a\x35\x35\x5f\xae\x57\x57\xf9\xae\x57\x57\xf9\x69\xb9\xb9\xd0\x69\xb9\xb9\xd0"
    b"\x17\x86\x86\x91\x17\x86\x86\x91\x99\xc1\xc1\x58\x99\xc1\xc1\x58\x3a\x1d\x1d\x27\x3a\x1d"
    b"\x1d\x27\x27\x9e\x9e\xb9\x27\x9e\x9e\xb9\xd9\xe1\xe1\x38\xd9\xe1\xe1\x38\xeb\xf8\xf8\x13"
    b"\xeb\xf8\xf8\x13\x2b\x98\x98\xb3\x2b\x98\x98\xb3\x22\x11\x11\x33\x22\x11\x11\x33\xd2\x69"
    b"\x69\xbb\xd2\x69\x69\xbb\xa9\xd9\xd9\x70\xa9\xd9\xd9\x70\x07\x8e\x8e\x89\x07\x8e\x8e\x89"
    b"\x33\x94\x94\xa7\x33\x94\x94\xa7\x2d\x9b\x9b\xb6\x2d\x9b\x9b\xb6\x3c\x1e\x1e\x22\x3c\x1e"
    b"\x1e\x22\x15\x87\x87\x92\x15\x87\x87\x92\xc9\xe9\xe9\x20\xc9\xe9\xe9\x20\x87\xce\xce\x49"
    b"\x87\xce\xce\x49\xaa\x55\x55\xff\xaa\x55\x55\xff\x50\x28\x28\x78\x50\x28\x28\x78\xa5\xdf"
    b"\xdf\x7a\xa5\xdf\xdf\x7a\x03\x8c\x8c\x8f\x03\x8c\x8c\x8f\x59\xa1\xa1\xf8\x59\xa1\xa1\xf8"
    b"\x09\x89\x89\x80\x09\x89\x89\x80\x1a\x0d\x0d\x17\x1a\x0d\x0d\x17\x65\xbf\xbf\xda\x65\xbf"
    b"\xbf\xda\xd7\xe6\xe6\x31\xd7\xe6\xe6\x31\x84\x42\x42\xc6\x84\x42\x42\xc6\xd0\x68\x68\xb8"
    b"\xd0\x68\x68\xb8\x82\x41\x41\xc3\x82\x41\x41\xc3\x29\x99\x99\xb0\x29\x99\x99\xb0\x5a\x2d"
    b"\x2d\x77\x5a\x2d\x2d\x77\x1e\x0f\x0f\x11\x1e\x0f\x0f\x11\x7b\xb0\xb0\xcb\x7b\xb0\xb0\xcb"
    b"\xa8\x54\x54\xfc\xa8\x54\x54\xfc\x6d\xbb\xbb\xd6\x6d\xbb\xbb\xd6\x2c\x16\x16\x3a\x2c\x16"
    b"\x16\x3a"
)

# Reduction of the four low bits that are shifted out (GHASH, SP 800-38D 6.3): 16 numbers of 16
# bits.
_BACK = (
    b"\x00\x00\x1c\x20\x38\x40\x24\x60\x70\x80\x6c\xa0\x48\xc0\x54\xe0"
    b"\xe1\x00\xfd\x20\xd9\x40\xc5\x60\x91\x80\x8d\xa0\xa9\xc0\xb5\xe0"
)

_PIECE = 64  # bytes of keystream computed at once

# MicroPython finds a global of this module three times as fast as a builtin.
_type = type
_len = len
_bytearray = bytearray


class InvalidTag(Exception):
    """Authentication failed. No plaintext is returned."""


# ---- Arguments ------------------------------------------------------------------------------


def _view(name, data):
    kind = type(data)
    if kind is bytes or kind is bytearray:
        return memoryview(data)
    # CPython's views have a format, MicroPython's do not. There, bytes() of a one-item view shows
    # the size of an item, and a negative item shows a signed view. Viper reads signed items as
    # unsigned bytes, so it accepts them.
    if kind is memoryview and getattr(data, "format", "B") == "B":
        item = data[:1]
        if len(bytes(item)) == len(item) and (BACKEND == "viper" or min(data, default=0) >= 0):
            return data
    raise TypeError(f"{name} must be bytes, bytearray or memoryview of bytes")


def _sized(name, data, *sizes):
    data = _view(name, data)
    if len(data) not in sizes:
        listed = " or ".join([str(size) for size in sizes])
        raise ValueError(f"{name} must be {listed} bytes, not {len(data)}")
    return data


def _blocks(data):
    data = _view("data", data)
    if len(data) & 15:
        raise ValueError(f"data must be a multiple of 16 bytes, not {len(data)}")
    return data


try:
    from uctypes import addressof as _address
except ImportError:
    _address = None


def _output(buf, size, data, other=b"", extra=b""):
    """Returns a view of `buf`, checked: writable, `size` bytes, and either in place of `data` or
    without overlap with any argument."""
    out = _view("buf", buf)
    try:
        out[:0] = b""
    except TypeError:  # viper would write to a read-only buffer without an error
        raise TypeError("buf must be writable")
    if len(out) != size:
        raise ValueError(f"buf must be exactly {size} bytes, not {len(out)}")
    if _address:
        begin = _address(out)
        at = _address(data)
        if begin != at and begin - at < len(data) and at - begin < size:
            raise ValueError("data and buf overlap")
        for read in (other, extra):
            if len(read):
                at = _address(read)
                if begin - at < len(read) and at - begin < size:
                    raise ValueError("arguments and buf overlap")
    return out


def _differ(a, b):
    """Returns 0 if a and b are equal. The time does not depend on where they differ."""
    found = 0
    for i in range(len(a)):
        found |= a[i] ^ b[i]
    return found


# ---- In Python ------------------------------------------------------------------------------
#
# An integer holds two bytes of a row, 15 bits apart: it is a small int (no heap) even on 32-bit
# machines. Eight integers are a block. MixColumns doubles by a shift and leaves 9 bits a byte.


def _pack(data, at):
    """Returns the block at data[at:] as eight integers: for each row columns 0 and 1, 2 and 3."""
    return [
        data[at + row + column] << 15 | data[at + row + column + 4]
        for row in range(4)
        for column in (0, 8)
    ]


def _unpack(words, data, at):
    """Writes the block `words` to data[at:]."""
    for i in range(8):
        place = at + (i >> 1) + ((i & 1) << 3)
        data[place] = words[i] >> 15
        data[place + 4] = words[i] & 255


def _expand(key):
    """Returns all round keys (FIPS 197 section 5.2) as one bytearray."""
    size = len(key)
    keys = bytearray(4 * size + 112)
    keys[:size] = key
    constant = 1
    for at in range(size, len(keys), 4):
        a, b, c, d = keys[at - 4], keys[at - 3], keys[at - 2], keys[at - 1]
        if at % size == 0:
            a, b, c, d = _SBOX[b] ^ constant, _SBOX[c], _SBOX[d], _SBOX[a]
            constant = constant << 1 if constant < 128 else 0x1B
        elif size == 32 and at % size == 16:
            a, b, c, d = _SBOX[a], _SBOX[b], _SBOX[c], _SBOX[d]
        keys[at] = keys[at - size] ^ a
        keys[at + 1] = keys[at - size + 1] ^ b
        keys[at + 2] = keys[at - size + 2] ^ c
        keys[at + 3] = keys[at - size + 3] ^ d
    return keys


def _schedule(key, decrypting=False):
    """Returns the round keys as _encrypt or _decrypt takes them. For encryption the first and the
    last key are tuples of 16 bytes, the others are packed."""
    keys = _expand(key)
    found = [tuple(_pack(keys, at)) for at in range(0, len(keys), 16)]
    if decrypting:
        found.reverse()
        return found[0], found[1:]
    return tuple(keys[:16]), found[1], found[2:-1], tuple(keys[-16:])


def _encrypt(keys, data, buf, blocks):
    """Encrypts `blocks` blocks from the start of `data` into `buf`."""
    # An assignment inside an expression saves a load, a constant index an addition. Access to the
    # first 16 locals is faster, so those are the ones that the rounds use most.
    high = _HIGH
    low = _LOW
    mask = 511
    i = j = s = t = u = v = w = x = y = 0
    first, second, inner, last = keys
    if blocks > 1:
        data = memoryview(data)
        buf = memoryview(buf)
    while blocks:
        # The first round, whose input bytes are not packed yet. SubBytes and ShiftRows: columns
        # 0 and 1 become s t u v, columns 2 and 3 become w x y z.
        a, b, c, d, e, f, g, h, k, l, m, n, o, p, q, r = first
        w = high[data[8] ^ k] | low[data[12] ^ o]
        x = high[data[13] ^ p] | low[data[1] ^ b]
        y = high[data[2] ^ c] | low[data[6] ^ g]
        z = high[data[7] ^ h] | low[data[11] ^ n]
        s = high[data[0] ^ a] | low[data[4] ^ e]
        t = high[data[5] ^ f] | low[data[9] ^ l]
        u = high[data[10] ^ m] | low[data[14] ^ q]
        v = high[data[15] ^ r] | low[data[3] ^ d]
        # MixColumns and AddRoundKey.
        k, l, m, n, o, p, q, r = second
        a = (i := s ^ t) + i ^ t ^ (j := u ^ v) ^ k
        e = j + j ^ v ^ i ^ o
        c = (i := t ^ u) + i ^ u ^ (j := v ^ s) ^ m
        g = j + j ^ s ^ i ^ q
        b = (i := w ^ x) + i ^ x ^ (j := y ^ z) ^ l
        f = j + j ^ z ^ i ^ p
        d = (i := x ^ y) + i ^ y ^ (j := z ^ w) ^ n
        h = j + j ^ w ^ i ^ r
        for k, l, m, n, o, p, q, r in inner:
            w = high[b >> 15] | low[b & mask]
            x = high[d & mask] | low[c >> 15]
            y = high[e >> 15] | low[e & mask]
            z = high[g & mask] | low[h >> 15]
            s = high[a >> 15] | low[a & mask]
            t = high[c & mask] | low[d >> 15]
            u = high[f >> 15] | low[f & mask]
            v = high[h & mask] | low[g >> 15]
            a = (i := s ^ t) + i ^ t ^ (j := u ^ v) ^ k
            e = j + j ^ v ^ i ^ o
            c = (i := t ^ u) + i ^ u ^ (j := v ^ s) ^ m
            g = j + j ^ s ^ i ^ q
            b = (i := w ^ x) + i ^ x ^ (j := y ^ z) ^ l
            f = j + j ^ z ^ i ^ p
            d = (i := x ^ y) + i ^ y ^ (j := z ^ w) ^ n
            h = j + j ^ w ^ i ^ r
        i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x = last
        buf[0] = low[a >> 15] ^ i
        buf[1] = low[c & mask] ^ j
        buf[2] = low[f >> 15] ^ k
        buf[3] = low[h & mask] ^ l
        buf[4] = low[a & mask] ^ m
        buf[5] = low[d >> 15] ^ n
        buf[6] = low[f & mask] ^ o
        buf[7] = low[g >> 15] ^ p
        buf[8] = low[b >> 15] ^ q
        buf[9] = low[d & mask] ^ r
        buf[10] = low[e >> 15] ^ s
        buf[11] = low[g & mask] ^ t
        buf[12] = low[b & mask] ^ u
        buf[13] = low[c >> 15] ^ v
        buf[14] = low[e & mask] ^ w
        buf[15] = low[h >> 15] ^ x
        blocks -= 1
        if blocks:
            data = data[16:]
            buf = buf[16:]


def _doubled(x):
    """Returns both bytes times 2 in the field."""
    return x << 1 ^ (x >> 7 & 0x8001) * 0x11B


def _decrypt(keys, data, buf, blocks):
    """Decrypts `blocks` blocks with the keys of _schedule(key, True)."""
    box = _UNBOX
    first, others = keys
    at = 0
    while blocks:
        a, b, c, d, e, f, g, h = [x ^ k for x, k in zip(_pack(data, at), first)]
        for k, l, m, n, o, p, q, r in others:
            # InvShiftRows, InvSubBytes and AddRoundKey.
            s = (box[a >> 15] << 15 | box[a & 511]) ^ k
            w = (box[b >> 15] << 15 | box[b & 511]) ^ l
            t = (box[d & 511] << 15 | box[c >> 15]) ^ m
            x = (box[c & 511] << 15 | box[d >> 15]) ^ n
            u = (box[f >> 15] << 15 | box[f & 511]) ^ o
            y = (box[e >> 15] << 15 | box[e & 511]) ^ p
            v = (box[g & 511] << 15 | box[h >> 15]) ^ q
            z = (box[h & 511] << 15 | box[g >> 15]) ^ r
            # InvMixColumns is multiplication by the matrix (5 0 4 0), then MixColumns. The last
            # round has no InvMixColumns: its result is taken before this step.
            a = _doubled(_doubled(s ^ u))
            c = _doubled(_doubled(t ^ v))
            b = _doubled(_doubled(w ^ y))
            d = _doubled(_doubled(x ^ z))
            k = s ^ a
            m = t ^ c
            o = u ^ a
            q = v ^ c
            a = (k ^ m) << 1 ^ m ^ o ^ q
            c = (m ^ o) << 1 ^ o ^ q ^ k
            e = (o ^ q) << 1 ^ q ^ k ^ m
            g = (q ^ k) << 1 ^ k ^ m ^ o
            k = w ^ b
            m = x ^ d
            o = y ^ b
            q = z ^ d
            b = (k ^ m) << 1 ^ m ^ o ^ q
            d = (m ^ o) << 1 ^ o ^ q ^ k
            f = (o ^ q) << 1 ^ q ^ k ^ m
            h = (q ^ k) << 1 ^ k ^ m ^ o
        _unpack((s, w, t, x, u, y, v, z), buf, at)
        at += 16
        blocks -= 1


def _xor(buf, data, pad, at):
    """XORs data[at:] with pad into buf[at:], for as many bytes as both have."""
    for i in range(min(len(pad), len(data) - at)):
        buf[at + i] = data[at + i] ^ pad[i]


def _hash_table(subkey):
    """Returns the products of H with the 16 polynomials of degree at most 3, in 24-bit limbs."""
    limbs = [subkey[i] << 16 | subkey[i + 1] << 8 | subkey[i + 2] for i in range(0, 15, 3)]
    limbs.append(subkey[15])
    found = [(0,) * 6] * 16
    at = 8
    while at:
        found[at] = tuple(limbs)
        low = limbs[5] & 1
        for i in range(5, 0, -1):
            limbs[i] = limbs[i] >> 1 | (limbs[i - 1] & 1) << (7 if i == 5 else 23)
        limbs[0] = limbs[0] >> 1 ^ (0xE10000 if low else 0)
        at >>= 1
    for at in (2, 4, 8):
        for i in range(1, at):
            found[at + i] = tuple([x ^ y for x, y in zip(found[at], found[i])])
    return found


def _hash(table, y, data):
    """Updates the GHASH state y with data, padded with zeros to whole blocks."""
    size = len(data)
    at = 0
    while at < size:
        for i in range(min(16, size - at)):
            y[i] ^= data[at + i]
        a = b = c = d = e = f = 0
        i = 15
        while i >= 0:
            byte = y[i]
            for nibble in (byte & 15, byte >> 4):
                back = (f & 15) << 1
                k, l, m, n, o, p = table[nibble]
                f = (f >> 4 | (e & 15) << 4) ^ p
                e = (e >> 4 | (d & 15) << 20) ^ o
                d = (d >> 4 | (c & 15) << 20) ^ n
                c = (c >> 4 | (b & 15) << 20) ^ m
                b = (b >> 4 | (a & 15) << 20) ^ l
                a = (a >> 4) ^ k ^ (_BACK[back] << 16 | _BACK[back + 1] << 8)
            i -= 1
        i = 0
        for limb in (a, b, c, d, e):
            y[i] = limb >> 16
            y[i + 1] = limb >> 8 & 255
            y[i + 2] = limb & 255
            i += 3
        y[15] = f
        at += 16


def _aegis_state(blocks):
    return [_pack(block, 0) for block in blocks]


def _aegis_keystream(state, pad):
    """Writes the keystream of the next two blocks, 32 bytes, to pad."""
    _, b, c, d, _, f, g, h = state
    _unpack([x ^ y ^ (z & w) for x, y, z, w in zip(g, b, c, d)], pad, 0)
    _unpack([x ^ y ^ (z & w) for x, y, z, w in zip(c, f, g, h)], pad, 16)


def _aegis_update(state, data):
    """Updates the state with two blocks, 32 bytes."""
    last = state[7]
    for i in range(7, -1, -1):
        state[i] = _aegis_round(state[i - 1] if i else last, state[i])
    for i in (0, 4):
        state[i] = [x ^ y for x, y in zip(state[i], _pack(data, 4 * i))]


def _aegis_round(block, key):
    high = _HIGH
    low = _SBOX
    a, b, c, d, e, f, g, h = block
    s = high[a >> 15] | low[a & 255]
    t = high[c & 255] | low[d >> 15]
    u = high[f >> 15] | low[f & 255]
    v = high[h & 255] | low[g >> 15]
    w = high[b >> 15] | low[b & 255]
    x = high[d & 255] | low[c >> 15]
    y = high[e >> 15] | low[e & 255]
    z = high[g & 255] | low[h >> 15]
    k, l, m, n, o, p, q, r = key
    return [
        _doubled(s ^ t) ^ t ^ u ^ v ^ k,
        _doubled(w ^ x) ^ x ^ y ^ z ^ l,
        _doubled(t ^ u) ^ u ^ v ^ s ^ m,
        _doubled(x ^ y) ^ y ^ z ^ w ^ n,
        _doubled(u ^ v) ^ v ^ s ^ t ^ o,
        _doubled(y ^ z) ^ z ^ w ^ x ^ p,
        _doubled(v ^ s) ^ s ^ t ^ u ^ q,
        _doubled(z ^ w) ^ w ^ x ^ y ^ r,
    ]


def _aegis_words(state, i):
    """Returns block i of the state, 16 bytes."""
    block = bytearray(16)
    _unpack(state[i], block, 0)
    return block


# ---- In viper -------------------------------------------------------------------------------
#
# The same functions on 32-bit words. MicroPython compiles this text itself if it has viper. Only
# the first three locals are in registers, so `s` and `d` hold the values that the rounds use most.
# A constant index takes one instruction, so `k` moves along the keys. A store through an index in
# a register overwrites that index (MicroPython 1.26), so the first three locals are no indices.

_VIPER = """
import micropython

@micropython.viper
def _point(words: ptr32, i: int):
    # Globals are slow in viper, so the functions find the tables through these two words.
    table = int(ptr32(_T))
    box = int(ptr8(_SBOX))
    words = ptr32(int(words) + 4 * i)
    words[0] = table
    words[1] = box

def _schedule(key, decrypting=False):
    keys = _expand(key)
    rounds = len(keys) // 16 - 1
    found = bytearray(4 + 240 + 8)
    found[0] = rounds - 1
    _point(found, 61)
    for i in range(0, len(keys), 16):
        at = 4 + (len(keys) - 16 - i if decrypting else i)
        found[at:at + 16] = keys[i:i + 16]
    return found

@micropython.viper
def _encrypt(k: ptr32, s: ptr32, d: ptr32, blocks: int):
    t0 = ptr32(k[61])
    t1 = ptr32(k[61] + 3)
    t2 = ptr32(k[61] + 2)
    t3 = ptr32(k[61] + 1)
    q = ptr8(k[62])
    data = int(s)
    buf = int(d)
    keys = int(k) + 4
    rounds = k[0]
    while blocks:
        k = ptr32(keys)
        p = ptr32(data)
        s = ptr32(p[0] ^ k[0])
        d = ptr32(p[1] ^ k[1])
        x = p[2] ^ k[2]
        y = p[3] ^ k[3]
        i = rounds
        while i:
            k = ptr32(int(k) + 16)
            a = t0[int(s) << 1 & 510] ^ t1[int(d) >> 7 & 510] ^ t2[x >> 15 & 510] ^ t3[y >> 23 & 510] ^ k[0]
            b = t0[int(d) << 1 & 510] ^ t1[x >> 7 & 510] ^ t2[y >> 15 & 510] ^ t3[int(s) >> 23 & 510] ^ k[1]
            c = t0[x << 1 & 510] ^ t1[y >> 7 & 510] ^ t2[int(s) >> 15 & 510] ^ t3[int(d) >> 23 & 510] ^ k[2]
            y = t0[y << 1 & 510] ^ t1[int(s) >> 7 & 510] ^ t2[int(d) >> 15 & 510] ^ t3[x >> 23 & 510] ^ k[3]
            s = ptr32(a)
            d = ptr32(b)
            x = c
            i -= 1
        p = ptr32(buf)
        p[0] = (q[int(s) & 255] | q[int(d) >> 8 & 255] << 8 | q[x >> 16 & 255] << 16 | q[y >> 24 & 255] << 24) ^ k[4]
        p[1] = (q[int(d) & 255] | q[x >> 8 & 255] << 8 | q[y >> 16 & 255] << 16 | q[int(s) >> 24 & 255] << 24) ^ k[5]
        p[2] = (q[x & 255] | q[y >> 8 & 255] << 8 | q[int(s) >> 16 & 255] << 16 | q[int(d) >> 24 & 255] << 24) ^ k[6]
        p[3] = (q[y & 255] | q[int(s) >> 8 & 255] << 8 | q[int(d) >> 16 & 255] << 16 | q[x >> 24 & 255] << 24) ^ k[7]
        data += 16
        buf += 16
        blocks -= 1

@micropython.viper
def _decrypt(k: ptr32, s: ptr32, d: ptr32, blocks: int):
    q = ptr8(_UNBOX)
    room = bytearray(32)
    w = ptr32(room)
    ones = 0x0101
    ones = ones << 16 | ones
    rest = 0x7f7f
    rest = rest << 16 | rest
    rounds = k[0]
    keys = int(k) + 4
    while blocks:
        k = ptr32(keys)
        j = 0
        while j < 4:
            w[j] = s[j] ^ k[j]
            j += 1
        i = rounds
        while i >= 0:
            k = ptr32(int(k) + 16)
            j = 0
            while j < 4:
                x = (q[w[j] & 255] | q[w[(j + 3) & 3] >> 8 & 255] << 8 | q[w[(j + 2) & 3] >> 16 & 255] << 16 | q[w[(j + 1) & 3] >> 24 & 255] << 24) ^ k[j]
                if i:
                    y = x ^ (x << 16 | x >> 16 & 0xffff)
                    y = (y & rest) << 1 ^ (y >> 7 & ones) * 27
                    y = (y & rest) << 1 ^ (y >> 7 & ones) * 27
                    x ^= y
                    y = x << 24 | x >> 8 & 0xffffff
                    z = x ^ y
                    x = (z & rest) << 1 ^ (z >> 7 & ones) * 27 ^ y ^ (z << 16 | z >> 16 & 0xffff)
                w[4 + j] = x
                j += 1
            j = 0
            while j < 4:
                w[j] = w[4 + j]
                j += 1
            i -= 1
        j = 0
        while j < 4:
            d[j] = w[j]
            j += 1
        s = ptr32(int(s) + 16)
        d = ptr32(int(d) + 16)
        blocks -= 1

@micropython.viper
def _xor(buf, data, pad, at: int):
    size = int(len(data)) - at
    if size > int(len(pad)):
        size = int(len(pad))
    d = ptr8(int(ptr8(buf)) + at)
    s = ptr8(int(ptr8(data)) + at)
    p = ptr8(pad)
    i = 0
    while i < size:
        d[i] = s[i] ^ p[i]
        i += 1

def _hash_table(subkey):
    found = bytearray(256)
    found[128:144] = subkey
    for at in (128, 64, 32):
        low = found[at + 15] & 1
        for i in range(15, -1, -1):
            found[at // 2 + i] = found[at + i] >> 1 | (found[at + i - 1] & 1 if i else 0) << 7
        if low:
            found[at // 2] ^= 0xe1
    for at in (32, 64, 128):
        for i in range(16, at):
            found[at + i] = found[at + i % 16] ^ found[i]
    words = bytearray(256)
    for i in range(256):
        words[i] = found[i ^ 3]
    return words

@micropython.viper
def _hash(table: ptr32, y: ptr8, data):
    size = int(len(data))
    p = ptr8(data)
    back = ptr8(_BACK)
    while size > 0:
        n = size if size < 16 else 16
        i = 0
        while i < n:
            y[i] ^= p[i]
            i += 1
        a = 0
        b = 0
        c = 0
        d = 0
        i = 31
        while i >= 0:
            n = (y[i >> 1] >> 4 if i & 1 == 0 else y[i >> 1] & 15) << 2
            r = (d & 15) << 1
            d = (d >> 4 & 0xfffffff | c << 28) ^ table[n + 3]
            c = (c >> 4 & 0xfffffff | b << 28) ^ table[n + 2]
            b = (b >> 4 & 0xfffffff | a << 28) ^ table[n + 1]
            a = (a >> 4 & 0xfffffff) ^ table[n] ^ (back[r] << 24 | back[r + 1] << 16)
            i -= 1
        i = 0
        while i < 4:
            n = 24 - 8 * i
            y[i] = a >> n
            y[i + 4] = b >> n
            y[i + 8] = c >> n
            y[i + 12] = d >> n
            i += 1
        p = ptr8(int(p) + 16)
        size -= 16

def _aegis_state(blocks):
    state = bytearray(b"".join(blocks) + bytes(24))
    _point(state, 36)
    return state

@micropython.viper
def _aegis_keystream(state: ptr32, pad: ptr32):
    later = ptr32(int(pad) + 16)
    i = 0
    while i < 4:
        pad[i] = state[24 + i] ^ state[4 + i] ^ (state[8 + i] & state[12 + i])
        later[i] = state[8 + i] ^ state[20 + i] ^ (state[24 + i] & state[28 + i])
        i += 1

@micropython.viper
def _aegis_update(s: ptr32, d: ptr32):
    t0 = ptr32(s[36])
    t1 = ptr32(s[36] + 3)
    t2 = ptr32(s[36] + 2)
    t3 = ptr32(s[36] + 1)
    state = int(s)
    data = int(d)
    i = 0
    while i < 4:
        s[32 + i] = s[28 + i]
        i += 1
    i = 112
    while i >= 0:
        p = ptr32(state + (i - 16 if i else 128))
        s = ptr32(p[0])
        d = ptr32(p[1])
        x = p[2]
        y = p[3]
        p = ptr32(state + i)
        p[0] = t0[int(s) << 1 & 510] ^ t1[int(d) >> 7 & 510] ^ t2[x >> 15 & 510] ^ t3[y >> 23 & 510] ^ p[0]
        p[1] = t0[int(d) << 1 & 510] ^ t1[x >> 7 & 510] ^ t2[y >> 15 & 510] ^ t3[int(s) >> 23 & 510] ^ p[1]
        p[2] = t0[x << 1 & 510] ^ t1[y >> 7 & 510] ^ t2[int(s) >> 15 & 510] ^ t3[int(d) >> 23 & 510] ^ p[2]
        p[3] = t0[y << 1 & 510] ^ t1[int(s) >> 7 & 510] ^ t2[int(d) >> 15 & 510] ^ t3[x >> 23 & 510] ^ p[3]
        i -= 16
    p = ptr32(state)
    s = ptr32(data)
    i = 0
    while i < 4:
        p[i] ^= s[i]
        p[16 + i] ^= s[4 + i]
        i += 1

def _aegis_words(state, i):
    return state[16 * i:16 * i + 16]
"""

_ARCHITECTURES = (5, 6, 7, 8)  # Armv7-M variants: they can load 32-bit words at any address


def _compile():
    """Replaces the functions above by those in viper. Returns False if it cannot compile them."""
    if (getattr(sys.implementation, "_mpy", 0) >> 10 & 15) not in _ARCHITECTURES:
        return False
    try:
        exec(_VIPER, globals())  # noqa: S102 - the text above
    except (ImportError, SyntaxError):
        return False
    for name in ("_pack", "_unpack", "_doubled", "_aegis_round"):
        del globals()[name]  # their callers have been replaced
    return True


BACKEND = "viper" if _compile() else "python"
del _compile
if BACKEND == "python":
    _LOW = tuple(_SBOX)
    _HIGH = tuple([x << 15 for x in _SBOX])


# ---- Classes --------------------------------------------------------------------------------


def _fresh(into, *arguments):
    """Calls the method `into` with a new buffer and returns it. The last argument is the data."""
    buf = bytearray(len(_view("data", arguments[-1])))
    into(*(arguments + (buf,)))
    return bytes(buf)


class AES:
    """AES (FIPS 197) in ECB, CBC and CTR mode (SP 800-38A).

    These modes do not detect altered data. Use AESGCM unless a protocol requires one of them.

    :param key: 16, 24 or 32 bytes
    """

    backend = BACKEND

    def __init__(self, key):
        self._key = bytes(_sized("key", key, 16, 24, 32))
        self._keys = _schedule(self._key)
        self._back = None

    def _inverse(self):
        if self._back is None:
            self._back = _schedule(self._key, True)
        return self._back

    def ecb_encrypt_into(self, data, buf):
        """Encrypts each block independently into `buf` and returns len(data).

        :param data: a multiple of 16 bytes
        :param buf: len(data) bytes
        """
        if (
            not _type(data) is _type(buf) is _bytearray
            or (size := _len(data)) & 15
            or _len(buf) != size
        ):
            # Two bytearrays of the right size need no checks: they are identical or disjoint.
            data = _blocks(data)
            size = len(data)
            buf = _output(buf, size, data)
        _encrypt(self._keys, data, buf, size >> 4)
        return size

    def ecb_decrypt_into(self, data, buf):
        """Inverse of ecb_encrypt_into."""
        data = _blocks(data)
        size = len(data)
        _decrypt(self._inverse(), data, _output(buf, size, data), size >> 4)
        return size

    def cbc_encrypt_into(self, iv, data, buf):
        """Encrypts in CBC mode, without padding, into `buf` and returns len(data).

        :param iv: 16 unpredictable bytes
        :param data: a multiple of 16 bytes
        :param buf: len(data) bytes
        """
        data = _blocks(data)
        iv = _sized("iv", iv, 16)
        buf = _output(buf, len(data), data, iv)
        block = bytearray(iv)
        for at in range(0, len(data), 16):
            _xor(block, data[at : at + 16], block, 0)
            _encrypt(self._keys, block, block, 1)
            buf[at : at + 16] = block
        return len(data)

    def cbc_decrypt_into(self, iv, data, buf):
        """Inverse of cbc_encrypt_into."""
        data = _blocks(data)
        iv = _sized("iv", iv, 16)
        buf = _output(buf, len(data), data, iv)
        keys = self._inverse()
        block = bytearray(16)
        before = bytes(iv)
        for at in range(0, len(data), 16):
            this = bytes(data[at : at + 16])
            _decrypt(keys, this, block, 1)
            _xor(block, block, before, 0)
            buf[at : at + 16] = block
            before = this
        return len(data)

    def ctr_encrypt_into(self, counter, data, buf):
        """Encrypts or decrypts in CTR mode into `buf` and returns len(data).

        No counter value may repeat under one key.

        :param counter: the first counter block, 16 bytes, a big-endian integer. It grows by one
            each block and wraps to 0.
        :param data: any size
        :param buf: len(data) bytes
        """
        data = _view("data", data)
        counter = _sized("counter", counter, 16)
        buf = _output(buf, len(data), data, counter)
        self._crypt(bytearray(counter), data, buf, 0)
        return len(data)

    ctr_decrypt_into = ctr_encrypt_into

    def _crypt(self, counter, data, buf, still):
        """Applies CTR from `counter` on, and advances it. The first `still` bytes of the counter
        never change."""
        size = len(data)
        pad = bytearray(min(_PIECE, size + 15 & ~15))
        for at in range(0, size, _PIECE):
            blocks = min(_PIECE, size - at + 15) >> 4
            for place in range(0, 16 * blocks, 16):
                pad[place : place + 16] = counter
                i = 15
                while i >= still:
                    counter[i] = counter[i] + 1 & 255
                    if counter[i]:
                        break
                    i -= 1
            _encrypt(self._keys, pad, pad, blocks)
            _xor(buf, data, pad, at)

    # The same methods, but they return new bytes.

    def ecb_encrypt(self, data):
        return _fresh(self.ecb_encrypt_into, data)

    def ecb_decrypt(self, data):
        return _fresh(self.ecb_decrypt_into, data)

    def cbc_encrypt(self, iv, data):
        return _fresh(self.cbc_encrypt_into, iv, data)

    def cbc_decrypt(self, iv, data):
        return _fresh(self.cbc_decrypt_into, iv, data)

    def ctr_encrypt(self, counter, data):
        return _fresh(self.ctr_encrypt_into, counter, data)

    ctr_decrypt = ctr_encrypt


class _AEAD:
    """Authenticated encryption with associated data. A nonce must never repeat under one key."""

    backend = BACKEND
    tag_length = 16

    @classmethod
    def generate_key(cls, bit_length=None):
        """Returns a new key from the board's random source.

        :param bit_length: size of the key in bits; optional if the cipher has only one size
        :raises OSError: the board has no random source
        """
        if bit_length is None and len(cls.key_sizes) == 1:
            bit_length = 8 * cls.key_sizes[0]
        if not isinstance(bit_length, int):
            raise TypeError("bit_length must be an integer")
        if bit_length // 8 not in cls.key_sizes or bit_length & 7:
            sizes = " or ".join([str(8 * size) for size in cls.key_sizes])
            raise ValueError(f"bit_length must be {sizes}, not {bit_length}")
        try:
            from os import urandom
        except ImportError:
            raise OSError("this board has no random source: make the key elsewhere")
        return urandom(bit_length // 8)

    def encrypt(self, nonce, data, associated_data=None):
        """Returns the ciphertext, followed by the tag: len(data) + 16 bytes."""
        buf = bytearray(len(_view("data", data)) + 16)
        self.encrypt_into(nonce, data, associated_data, buf)
        return bytes(buf)

    def decrypt(self, nonce, data, associated_data=None):
        """Returns the plaintext: len(data) - 16 bytes.

        :raises InvalidTag: another key, nonce or associated data, or altered data
        """
        if len(_view("data", data)) < 16:
            raise InvalidTag("authentication failed")
        buf = bytearray(len(data) - 16)
        self.decrypt_into(nonce, data, associated_data, buf)
        return bytes(buf)

    def encrypt_into(self, nonce, data, associated_data, buf):
        """Like encrypt, into `buf` of exactly len(data) + 16 bytes. Returns that size."""
        data, nonce, extra = self._arguments(nonce, data, associated_data)
        size = len(data)
        buf = _output(buf, size + 16, data, nonce, extra)
        buf[size:] = self._seal(nonce, data, extra, buf[:size])
        return size + 16

    def decrypt_into(self, nonce, data, associated_data, buf):
        """Like decrypt, into `buf` of exactly len(data) - 16 bytes. Returns that size.

        If the tag is wrong, or an exception interrupts the call, `buf` is zeros.
        """
        data, nonce, extra = self._arguments(nonce, data, associated_data)
        size = len(data) - 16
        if size < 0:
            raise InvalidTag("authentication failed")
        buf = _output(buf, size, data, nonce, extra)
        tag = bytes(data[size:])
        genuine = False
        try:
            genuine = self._open(nonce, data[:size], extra, buf, tag)
        finally:
            try:
                if not genuine:
                    _xor(buf, buf, buf, 0)
            except BaseException:  # an interrupt during the wipe
                _xor(buf, buf, buf, 0)
                raise
        if not genuine:
            raise InvalidTag("authentication failed")
        return size

    def _arguments(self, nonce, data, extra):
        data = _view("data", data)
        extra = _view("associated_data", b"" if extra is None else extra)
        return data, self._nonce(nonce), extra


def _lengths(first, second):
    """Returns the last block that GCM hashes: both sizes in bits."""
    block = bytearray(16)
    for end, size in ((8, first), (16, second)):
        block[end - 1] = size << 3 & 255
        size >>= 5
        while size:
            end -= 1
            block[end - 1] = size & 255
            size >>= 8
    return block


class AESGCM(_AEAD):
    """AES-GCM (SP 800-38D) with 16-byte tags.

    Nonces have 12 bytes. Other sizes, at least 1 byte, are hashed to a counter block.

    :param key: 16, 24 or 32 bytes
    """

    key_sizes = (16, 24, 32)

    def __init__(self, key):
        self._aes = AES(key)
        subkey = bytearray(16)
        _encrypt(self._aes._keys, subkey, subkey, 1)
        self._table = _hash_table(subkey)

    def _nonce(self, nonce):
        nonce = _view("nonce", nonce)
        if not len(nonce):
            raise ValueError("nonce must not be empty")
        return nonce

    def _begin(self, nonce):
        """Returns the counter of the first data block, and the mask of the tag."""
        counter = bytearray(16)
        if len(nonce) == 12:
            counter[:12] = nonce
            counter[15] = 1
        else:
            _hash(self._table, counter, nonce)
            _hash(self._table, counter, _lengths(0, len(nonce)))
        mask = bytearray(16)
        self._aes._crypt(counter, mask, mask, 12)
        return counter, mask

    def _finish(self, mask, extra, data):
        """Returns the tag of this associated data and ciphertext."""
        tag = bytearray(16)
        _hash(self._table, tag, extra)
        _hash(self._table, tag, data)
        _hash(self._table, tag, _lengths(len(extra), len(data)))
        _xor(tag, tag, mask, 0)
        return tag

    def _seal(self, nonce, data, extra, buf):
        counter, mask = self._begin(nonce)
        self._aes._crypt(counter, data, buf, 12)
        return self._finish(mask, extra, buf)

    def _open(self, nonce, data, extra, buf, tag):
        counter, mask = self._begin(nonce)
        if _differ(self._finish(mask, extra, data), tag):
            return False
        self._aes._crypt(counter, data, buf, 12)
        return True


def _fill(two, data, at):
    """Copies data[at : at + 32] to `two`, padded with zeros to 32 bytes."""
    size = min(32, len(data) - at)
    two[:size] = data[at : at + size]
    for i in range(size, 32):
        two[i] = 0


class AEGIS128L(_AEAD):
    """AEGIS-128L (RFC 10032). Keys, nonces and tags have 16 bytes."""

    key_sizes = (16,)
    _CONSTANTS = (
        b"\x00\x01\x01\x02\x03\x05\x08\x0d\x15\x22\x37\x59\x90\xe9\x79\x62",
        b"\xdb\x3d\x18\x55\x6d\xc2\x2f\xf1\x20\x11\x31\x42\x73\xb5\x28\xdd",
    )

    def __init__(self, key):
        self._key = bytes(_sized("key", key, 16))

    def _nonce(self, nonce):
        return _sized("nonce", nonce, 16)

    def _begin(self, nonce, extra):
        """Returns the state after the associated data, and a 32-byte buffer for later input."""
        key = self._key
        first, second = self._CONSTANTS
        mixed = bytearray(16)
        _xor(mixed, key, nonce, 0)
        blocks = [mixed, second, first, second, mixed]
        for constant in (first, second, first):
            block = bytearray(16)
            _xor(block, key, constant, 0)
            blocks.append(block)
        state = _aegis_state(blocks)
        two = bytearray(32)
        two[:16] = nonce
        two[16:] = key
        for _ in range(10):
            _aegis_update(state, two)
        for at in range(0, len(extra), 32):
            _fill(two, extra, at)
            _aegis_update(state, two)
        return state, two

    def _end(self, state, two, extra, data):
        """Returns the tag."""
        two[:16] = _aegis_words(state, 2)
        end = 0
        for size in (extra, data):
            size, low = size >> 5, size << 3 & 255
            at = end
            two[at] ^= low
            while size:
                at += 1
                two[at] ^= size & 255
                size >>= 8
            end += 8
        two[16:] = two[:16]
        for _ in range(7):
            _aegis_update(state, two)
        tag = _aegis_words(state, 0)
        for i in range(1, 7):
            _xor(tag, tag, _aegis_words(state, i), 0)
        return tag

    def _seal(self, nonce, data, extra, buf):
        state, two = self._begin(nonce, extra)
        pad = bytearray(32)
        for at in range(0, len(data), 32):
            _fill(two, data, at)
            _aegis_keystream(state, pad)
            _xor(buf, data, pad, at)
            _aegis_update(state, two)
        return self._end(state, two, len(extra), len(data))

    def _open(self, nonce, data, extra, buf, tag):
        state, two = self._begin(nonce, extra)
        pad = bytearray(32)
        for at in range(0, len(data), 32):
            _aegis_keystream(state, pad)
            _xor(buf, data, pad, at)
            _fill(two, buf, at)
            _aegis_update(state, two)
        return not _differ(self._end(state, two, len(extra), len(data)), tag)


class CMAC:
    """AES-CMAC (SP 800-38B, RFC 4493) with 16-byte tags.

    Call update for each piece of the message, then finalize or verify. Later calls raise
    RuntimeError.

    :param key: 16, 24 or 32 bytes
    """

    backend = BACKEND

    def __init__(self, key):
        self._keys = _schedule(_sized("key", key, 16, 24, 32))
        self._state = bytearray(16)
        self._held = bytearray(16)  # the last 1 to 16 bytes so far; not yet in _state
        self._size = 0  # number of bytes in _held
        self._open = True

    def _check(self):
        if not self._open:
            raise RuntimeError("the message has ended")

    def update(self, data):
        """Adds the next piece of the message."""
        self._check()
        data = _view("data", data)
        at = 0
        while at < len(data):
            if self._size == 16:
                self._mix()
                self._size = 0
            taken = min(16 - self._size, len(data) - at)
            self._held[self._size : self._size + taken] = data[at : at + taken]
            self._size += taken
            at += taken

    def _mix(self):
        _xor(self._state, self._state, self._held, 0)
        _encrypt(self._keys, self._state, self._state, 1)

    def finalize(self):
        """Ends the message and returns its tag."""
        self._check()
        self._open = False
        subkey = bytearray(16)
        _encrypt(self._keys, subkey, subkey, 1)
        whole = self._size == 16
        for _ in range(1 if whole else 2):
            top = subkey[0] >> 7
            for i in range(15):
                subkey[i] = subkey[i] << 1 & 255 | subkey[i + 1] >> 7
            subkey[15] = subkey[15] << 1 & 255 ^ top * 0x87
        if not whole:
            self._held[self._size] = 128
            for i in range(self._size + 1, 16):
                self._held[i] = 0
        _xor(self._held, self._held, subkey, 0)
        self._mix()
        return bytes(self._state)

    def verify(self, tag):
        """Ends the message and compares its tag.

        :raises InvalidTag: `tag` is not the message's tag of 16 bytes
        """
        tag = _view("tag", tag)
        found = self.finalize()
        if len(tag) != 16 or _differ(found, tag):
            raise InvalidTag("authentication failed")
