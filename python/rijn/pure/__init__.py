"""The Python backends: `reference`, for tests; `python` and its halves; `numpy`, `numba`.

A module imports only modules below it:

    public/     block  aead  aegis  mac  wrap: the public classes, which check arguments
        |
    backends.py    which backends exist, and what each makes from keys
        |
        +-----------------------+-----------------------+----------------+---------------+
        |                       |                       |                |               |
    modes/                  python.py               numba_engine.py   aegis.py       reference/
    GCM, CCM, EAX, OCB3,    numpy_engine.py             |             all variants   the standards
    SIV, XTS, CMAC          only the engines            |                |           step by step,
    over any engine             |                       |                |           without the
        |                       +-----------+-----------+                |           other modules
        |                       |           |                            |
        |                   layouts      modes/raw.py                    |
        |                   byteslice    CFB, OFB, IGE, key wrapping:    |
        |                   row_planes   engines inherit it              |
        |                   bitslice                                     |
        |                   numpy_planes                                 |
        |                   numba_table                                  |
        +-----------+-----------+                                        |
                    |                                                    |
        ghash.py    GHASH: tables, masks                                 |
        wideghash.py    lanes for many blocks at once                    |
        tables.py   AES block by block: tables, key schedule             |
                    |                                                    |
                    +----------------------------------------------------+
                    |
        fields.py   GF(2^8) with the S-box, GF(2^128)
        circuits.py the same S-box in gates, generated
        blocks.py   bytes, integers, counters

    contract.py     protocols between the modules, imported only for types

A name has one meaning: a class or function is defined once, except in public/, which has the public
names, and reference/, which has the names of the standards. All layouts use the same names for the
same functions: pack, unpack, encrypt_rounds, decrypt_rounds, and the methods of contract.Layout.

docs/pure-python.md explains each layout, and how to add a layout, a backend and a mode.
"""
