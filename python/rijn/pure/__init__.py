"""The backends in Python: `reference`, the oracle; `python` and its halves; `numpy`, `numba`.

A module knows only those below it:

    public/     block  aead  aegis  mac  wrap: the public classes, which check arguments
        |
    backends.py    which backends exist, and what each makes from keys
        |
        +-----------------------+-----------------------+----------------+---------------+
        |                       |                       |                |               |
    modes/                  python.py               numba_engine.py   aegis.py       reference/
    GCM, CCM, EAX, OCB3,    numpy_engine.py             |             all variants   the standards
    SIV, XTS, CMAC          the engines alone           |                |           read aloud,
    over any engine             |                       |                |           on nothing
        |                       +-----------+-----------+                |           else here
        |                       |           |                            |
        |                   layouts      modes/raw.py                    |
        |                   byteslice    CFB, OFB, IGE, key wrapping:    |
        |                   rows         engines inherit it              |
        |                   bitslice                                     |
        |                   numpy_planes                                 |
        |                   numba_table                                  |
        |                       |                                        |
        +------- bitghash ------+                                        |
                    |                                                    |
        ghash.py    GHASH block by block: tables, masks                  |
        tables.py   AES block by block: tables, key schedule             |
                    |                                                    |
                    +----------------------------------------------------+
                    |
        fields.py   GF(2^8) with the S-box, GF(2^128)
        circuits.py the same S-box in gates, generated
        blocks.py   bytes, integers, counters

    contract.py     what the modules ask of one another: protocols alone, imported for types

A name means one thing: a class or a function is defined once in all of these but for public/,
whose names are the public ones, and reference/, whose names are the standards'. What the
layouts have in common (pack, unpack, encrypt_rounds, decrypt_rounds, and what
contract.Layout says) they call alike.

docs/pure-python.md says how each layout works, and how to add a layout, a backend and a mode.
"""
