"""AES in PyCryptodome's modes."""

from __future__ import annotations

from typing import Any

from ...._check import Buffer
from ...._traceback import clean_traceback
from .. import _originals
from ._mode_cbc import CbcMode
from ._mode_ccm import CcmMode
from ._mode_cfb import CfbMode
from ._mode_ctr import CtrMode
from ._mode_eax import EaxMode
from ._mode_ecb import EcbMode
from ._mode_gcm import GcmMode
from ._mode_kw import KWMode
from ._mode_kwp import KWPMode
from ._mode_ocb import OcbMode
from ._mode_ofb import OfbMode
from ._mode_openpgp import OpenPgpMode
from ._mode_siv import SivMode

__all__ = ["block_size", "key_size", "new"]

MODE_ECB = 1
MODE_CBC = 2
MODE_CFB = 3
MODE_OFB = 5
MODE_CTR = 6
MODE_OPENPGP = 7
MODE_CCM = 8
MODE_EAX = 9
MODE_SIV = 10
MODE_GCM = 11
MODE_OCB = 12
MODE_KW = 13
MODE_KWP = 14

block_size = 16
key_size = (16, 24, 32)

# The class of each mode, and the name of its only positional argument.
_MODES: dict[int, tuple[type[Any], str | None]] = {
    MODE_ECB: (EcbMode, None),
    MODE_CBC: (CbcMode, "IV"),
    MODE_CFB: (CfbMode, "IV"),
    MODE_OFB: (OfbMode, "IV"),
    MODE_CTR: (CtrMode, None),
    MODE_OPENPGP: (OpenPgpMode, "IV"),
    MODE_CCM: (CcmMode, "nonce"),
    MODE_EAX: (EaxMode, "nonce"),
    MODE_SIV: (SivMode, "nonce"),
    MODE_GCM: (GcmMode, "nonce"),
    MODE_OCB: (OcbMode, "nonce"),
    MODE_KW: (KWMode, None),
    MODE_KWP: (KWPMode, None),
}


@clean_traceback
def new(key: Buffer, mode: int, *args: Any, **kwargs: Any) -> Any:
    """Makes a cipher for one message.

    :param key: 16, 24 or 32 bytes; for MODE_SIV 32, 48 or 64.
    :param mode: a MODE_ constant.
    :param args: the `iv` or the `nonce`, for modes with one.
    :param kwargs: the mode's options, which its class describes: `iv` or `IV` (CBC, CFB, OFB,
        OPENPGP), `nonce` (CTR and all that authenticate), `segment_size` (CFB), `initial_value`,
        `counter` (CTR), `mac_len` (GCM, CCM, EAX, OCB), `msg_len`, `assoc_len` (CCM). Without an
        IV or a nonce, all modes but SIV draw one, which is an attribute of the result.
        `backend` is the name of a backend (see `rijn.backends()`), or None for the usual choice.
        `use_aesni` and `threads` change nothing.
    :returns: an object of the mode's class.
    :raises ValueError: if the mode is unknown, or an argument has a size that is not allowed.
    :raises TypeError: if an option is unknown or of another type.
    :raises BackendError: if the backend is unknown or cannot run here.
    """
    if mode not in _MODES:
        raise ValueError("Mode not supported")
    cls, positional = _MODES[mode]
    if len(args) > (positional is not None):
        raise TypeError("Too many arguments for this mode")
    if args and positional:
        kwargs[positional] = args[0]
    return cls(key, **kwargs)


__getattr__ = _originals.finder(__name__)
