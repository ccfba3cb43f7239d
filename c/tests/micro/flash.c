/* A program that only makes a key, seals and opens. It is linked but never run. tests/micro/micro.py
 * measures the size of the library in it. */
#include "build.h"

typedef void function(void);

__attribute__((section(".vectors"), used)) static function *const vectors[] = {
#if RIJN_WITH_GCM
    (function *)rijn_key_init,       (function *)rijn_gcm_seal,   (function *)rijn_gcm_open,
#if RIJN_WITH_GCM_PIECES
    (function *)rijn_gcm_start,      (function *)rijn_gcm_ad,     (function *)rijn_gcm_encrypt,
    (function *)rijn_gcm_decrypt,    (function *)rijn_gcm_finish, (function *)rijn_gcm_verify,
#endif
#endif
#if RIJN_WITH_AEGIS
    (function *)rijn_aegis_key_init, (function *)rijn_aegis_seal, (function *)rijn_aegis_open,
#endif
};
