"""The modes that are written once over an engine (contract.Engine).

raw.py         CFB, OFB, IGE, CTR with other counters, and key wrapping: engines inherit it
xts.py         XTS, with ciphertext stealing
cmac.py        CMAC, and the chain of CCM
gcm.py …       the authenticated ciphers
polyval.py     the hash of GCM-SIV

A class is made with (a function from keys to engines, key), and the length of its tags where
they have more than one: so a mode makes as many engines as it has keys.
"""
