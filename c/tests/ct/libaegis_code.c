/* Compiled by fetch_peers.sh with libaegis's sources, not by CMake.
 *
 *   BUILD     the name of the table: libaegis, libaegis_aesni, libaegis_soft
 *   VERSION   where the sources come from
 *
 * A build without some instructions is compiled with -Daegis_runtime_has_vaes=libaegis_has_not, and so
 * on. When it chooses an implementation at run time, these functions say that the CPU does not have
 * them. */
#include "libaegis_code.h"

#include "aegis.h"
#include "aegis128l.h"
#include "aegis128x2.h"
#include "aegis128x4.h"
#include "aegis256.h"
#include "aegis256x2.h"
#include "aegis256x4.h"

int libaegis_has_not(void)
{
    return 0;
}

#define VARIANT(name) \
    { \
        name##_encrypt_detached, name##_decrypt_detached \
    }

const libaegis_code BUILD = {
    VERSION,
    aegis_init,
    {VARIANT(aegis128l), VARIANT(aegis128x2), VARIANT(aegis128x4), VARIANT(aegis256),
     VARIANT(aegis256x2), VARIANT(aegis256x4)},
};
