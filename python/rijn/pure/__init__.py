"""The rungs in Python: `reference`, the oracle; `python` and its halves; `numpy`, `numba`.

Each room stands on those below it alone, and nothing here leans on itself (a test draws all
imports, those inside functions too):

    faces/          block  aead  aegis  mac  wrap: the public classes, which check arguments
                      |
    rungs.py        which rungs exist, and what each makes from keys
                      |
      +---------------+--------------+---------------------+--------------------+
      |               |              |                     |                    |
    modes/          python.py      numpy_engine.py       aegis.py            reference/
    GCM, CCM,       the engines    numba_engine.py       all variants,       the standards
    SIV, XTS …      alone            |                   on fields.py        read aloud, on
    over any          |              |                   alone               nothing here
    engine            +--------------+
      |               |              |
      |             layouts of the state, and of GHASH:
      |               byteslice  rows  bitslice  bitghash  numpy_planes  numba_table
      |               |                  |
      +---------------+             circuits.py, which is generated
                      |
    ghash.py        GHASH block by block, its tables and masks
    tables.py       AES block by block, its tables and key schedule
    fields.py       GF(2^8) with the S-box, GF(2^128)
    blocks.py       bytes, integers and counters

    contract.py     what the rooms ask of one another: protocols, which nothing has to import

A name means one thing: a class or a function is defined once in all of these but for faces/,
whose names are the public ones, and reference/, whose names are the standards'. What the
layouts have in common (pack, unpack, encrypt_rounds, decrypt_rounds, and for a class what
contract.Layout says) they call alike.

docs/pure-python.md says how each layout works, and how to add a layout and a mode.
"""
