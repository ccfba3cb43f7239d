"""The modes that are written once over an engine: a pure-Python rung that knows AES with
one key in single blocks, ECB, CBC, CTR and GCM.

raw.py         CFB, OFB, IGE, CTR with other counters, and key wrapping: engines inherit it
xts.py         XTS, with ciphertext stealing
cmac.py        CMAC, and the chain of CCM
gcm.py …       the authenticated ciphers, made from (engine class, key, tag length)
polyval.py     the hash of GCM-SIV
family.py      all of them, by the names of the public classes
"""
