"""The AES of PyCryptodome on Rijn's backends: the same names, calls, states and exceptions::

    from rijn.compat.cryptodome.Cipher import AES        # instead of: from Crypto.Cipher import AES

    cipher = AES.new(key, AES.MODE_GCM, nonce=nonce)
    ciphertext, tag = cipher.update(header).encrypt_and_digest(data)

- Cipher.AES: ECB, CBC, CFB, OFB, CTR, OpenPGP's CFB, GCM, CCM, EAX, SIV, OCB, KW and KWP
- Hash.CMAC: with AES
- Util.Padding, Util.Counter, Random

An import of anything else raises ImportError, which says so. `python -m rijn.compat.run` runs a
program that imports Crypto or Cryptodome on these modules.

They differ from PyCryptodome on purpose:

- After a wrong tag, decrypt_and_verify gives out nothing: `output` stays as it was. Every later
  verify fails, too. decrypt() alone returns plaintext that NOBODY HAS AUTHENTICATED, as
  PyCryptodome's does: use nothing of it before verify has returned.
- Every fault of a padding is the same ValueError.
- Data may be any C-contiguous buffer. A refused argument changes nothing.
- `backend="name"` and the attribute `backend` are Rijn's (see rijn.AES). `use_aesni`, `use_clmul`
  and `threads` change nothing.
- Objects hold a key or a place in a message, so they can be neither copied nor pickled (TypeError).
  All but ECB raise RuntimeError in a process that was forked since, and during another thread's
  call.
"""

from __future__ import annotations

from . import _absent
from ._originals import MessageTooLongError

__all__ = ["Cipher", "Hash", "MessageTooLongError", "Random", "Util"]

# The release whose interface this is.
version_info = (4, 4, "0")
__version__ = ".".join(map(str, version_info))

__getattr__ = _absent.refuser(__name__)
_absent.explain(__name__)
