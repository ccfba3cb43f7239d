"""The modes that are written once for every engine (contract.Engine).

raw.py         CFB, OFB, IGE, CTR with other counters, and key wrapping: engines inherit it
xts.py         XTS, with ciphertext stealing
cmac.py        CMAC, and the chain of CCM
gcm.py …       the authenticated ciphers
polyval.py     the hash of GCM-SIV

The arguments of a class are a function from keys to engines, the key, and the tag length if there
are several. So a mode makes an engine for each of its keys.
"""
