/* Lists all contenders. CMakeLists.txt defines BENCH_* for the libraries that it found. */
#include "contender.h"

#ifndef BENCH_OPENSSL
#  define openssl_contenders NULL
#endif
#ifndef BENCH_IPSEC_MB
#  define ipsec_mb_contenders NULL
#endif
#ifndef BENCH_BEARSSL
#  define bearssl_contenders NULL
#endif
#ifndef BENCH_LIBSODIUM
#  define libsodium_contenders NULL
#endif
#ifndef BENCH_LIBAEGIS
#  define libaegis_contenders NULL
#endif
#ifndef BENCH_AWS_LC
#  define aws_lc_contenders NULL
#endif
#ifndef BENCH_BORINGSSL
#  define boringssl_contenders NULL
#endif
#ifndef BENCH_BORINGSSL_AVX2
#  define boringssl_avx2_contenders NULL
#endif
#ifndef BENCH_PUTTY
#  define putty_contenders NULL
#endif

size_t all_contenders(contender *list)
{
    static const struct {
        const char *name;
        size_t (*contenders)(contender *list);
    } peers[] = {
        {"openssl", openssl_contenders},
        {"ipsec-mb", ipsec_mb_contenders},
        {"bearssl", bearssl_contenders},
        {"libsodium", libsodium_contenders},
        {"libaegis", libaegis_contenders},
        {"aws-lc", aws_lc_contenders},
        {"boringssl", boringssl_contenders},
        {"boringssl/avx2", boringssl_avx2_contenders},
        {"putty", putty_contenders},
    };
    size_t n = rijn_contenders(list);

    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
        if (peers[i].contenders)
            n += peers[i].contenders(list + n);
        else
            list[n++] = (contender){
                .name = peers[i].name, .version = "", .reason = "", .constant_time = -1};
    return n;
}
