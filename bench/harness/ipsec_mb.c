/* Intel's ipsec-mb, through its fastest public functions for single messages: GCM through the direct
 * API, CBC and CTR as a synchronous cipher burst of one job, ECB as a job that is flushed. The
 * variants without checks of the job are used, as its manual advises for speed. The direct API
 * computes the tag of an opened message, and this file compares it. */
#define NO_COMPAT_IMB_API_053 /* no short old names: ECB, CBC … */
#include <intel-ipsec-mb.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"

typedef struct {
    struct gcm_key_data gcm; /* needs an alignment of 64 */
    uint32_t encrypt[4 * 15] __attribute__((aligned(16)));
    uint32_t decrypt[4 * 15] __attribute__((aligned(16)));
    IMB_MGR *manager;
    algorithm what;
    aes_gcm_pre_t gcm_init;
    aes_gcm_enc_dec_t gcm_run;
    keyexp_t expand;
} state;

static bool ipsec_mb_rekey(void *memory, const uint8_t *key)
{
    state *s = memory;

    if (s->what.mode == GCM)
        s->gcm_init(key, &s->gcm);
    else
        s->expand(key, s->encrypt, s->decrypt);
    return true;
}

static void ipsec_mb_close(void *memory)
{
    state *s = memory;
    free_mb_mgr(s->manager);
    free(s);
}

static void *ipsec_mb_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    const bool offered = what->mode <= CTR || what->mode == GCM;
    state *s = offered ? aligned_alloc(64, (sizeof *s + 63) / 64 * 64) : NULL;
    IMB_MGR *m = offered ? alloc_mb_mgr(0) : NULL;

    (void)self;
    if (!s || !m) {
        free(s);
        free_mb_mgr(m);
        return NULL;
    }
    init_mb_mgr_auto(m, NULL);
    s->manager = m;
    s->what = *what;
    switch (what->key_size) {
    case 16:
        s->gcm_init = m->gcm128_pre;
        s->gcm_run = what->decrypt ? m->gcm128_dec : m->gcm128_enc;
        s->expand = m->keyexp_128;
        break;
    case 24:
        s->gcm_init = m->gcm192_pre;
        s->gcm_run = what->decrypt ? m->gcm192_dec : m->gcm192_enc;
        s->expand = m->keyexp_192;
        break;
    default:
        s->gcm_init = m->gcm256_pre;
        s->gcm_run = what->decrypt ? m->gcm256_dec : m->gcm256_enc;
        s->expand = m->keyexp_256;
    }
    ipsec_mb_rekey(s, key);
    return s;
}

static void describe(IMB_JOB *job, const state *s, IMB_CIPHER_MODE cipher, const uint8_t *nonce,
                     uint8_t *out, const uint8_t *in, size_t size)
{
    job->cipher_mode = cipher;
    job->cipher_direction = s->what.decrypt ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
    job->chain_order = s->what.decrypt ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
    job->hash_alg = IMB_AUTH_NULL;
    job->enc_keys = s->encrypt;
    job->dec_keys = s->decrypt;
    job->key_len_in_bytes = s->what.key_size;
    job->iv = nonce;
    job->iv_len_in_bytes = cipher == IMB_CIPHER_ECB ? 0 : 16;
    job->src = in;
    job->dst = out;
    job->cipher_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = size;
}

static bool burst(const state *s, IMB_CIPHER_MODE cipher, const uint8_t *nonce, uint8_t *out,
                  const uint8_t *in, size_t size)
{
    IMB_JOB job;

    describe(&job, s, cipher, nonce, out, in, size);
    return IMB_SUBMIT_CIPHER_BURST_NOCHECK(s->manager, &job, 1, cipher, job.cipher_direction,
                                           (IMB_KEY_SIZE_BYTES)s->what.key_size) == 1 &&
           job.status == IMB_STATUS_COMPLETED;
}

/* A job of CBC encryption has a 16-bit size, so a long message is split. The IV of each piece is the
 * last block of the previous one. ipsec-mb is made for many messages at once: a single message uses
 * only one of its lanes. */
static bool cbc_encrypt(const state *s, const uint8_t *iv, uint8_t *out, const uint8_t *in,
                        size_t size)
{
    enum { PIECE = 0xfff0 };

    for (; size > PIECE; size -= PIECE) {
        if (!burst(s, IMB_CIPHER_CBC, iv, out, in, PIECE))
            return false;
        in += PIECE;
        out += PIECE;
        iv = out - 16;
    }
    return burst(s, IMB_CIPHER_CBC, iv, out, in, size);
}

static bool ecb(const state *s, uint8_t *out, const uint8_t *in, size_t size)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(s->manager);

    describe(job, s, IMB_CIPHER_ECB, NULL, out, in, size);
    job = IMB_SUBMIT_JOB_NOCHECK(s->manager);
    if (!job)
        job = IMB_FLUSH_JOB(s->manager);
    return job && job->status == IMB_STATUS_COMPLETED;
}

static bool gcm(state *s, const uint8_t *nonce, uint8_t *out, const uint8_t *in, size_t size)
{
    struct gcm_context_data context;
    uint8_t given[TAG], computed[TAG], difference = 0;

    if (!s->what.decrypt) {
        s->gcm_run(&s->gcm, &context, out, in, size, nonce, NULL, 0, out + size, TAG);
        return true;
    }
    memcpy(given, in + size, TAG);
    s->gcm_run(&s->gcm, &context, out, in, size, nonce, NULL, 0, computed, TAG);
    for (int i = 0; i < TAG; i++)
        difference |= given[i] ^ computed[i];
    return difference == 0;
}

static bool ipsec_mb_run(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                         size_t size)
{
    state *s = memory;

    switch (s->what.mode) {
    case ECB:
        return ecb(s, out, in, size);
    case CBC:
        if (!s->what.decrypt)
            return cbc_encrypt(s, nonce, out, in, size);
        return burst(s, IMB_CIPHER_CBC, nonce, out, in, size);
    case CTR:
        return burst(s, IMB_CIPHER_CNTR, nonce, out, in, size);
    case GCM:
        return gcm(s, nonce, out, in, size);
    default:
        return false;
    }
}

size_t ipsec_mb_contenders(contender *list)
{
    IMB_MGR *m = alloc_mb_mgr(0);
    IMB_ARCH arch = IMB_ARCH_NONE;

    if (m)
        init_mb_mgr_auto(m, &arch);
    free_mb_mgr(m);
    *list = (contender){
        .name = "ipsec-mb",
        .version = imb_get_version_str(),
        .reason = arch == IMB_ARCH_NONE ? "it has no code for this CPU" : "",
        .linked = true,
        .constant_time = -1,
        .open = ipsec_mb_open,
        .run = ipsec_mb_run,
        .rekey = ipsec_mb_rekey,
        .close = ipsec_mb_close,
    };
    return 1;
}
