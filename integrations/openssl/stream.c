/* CTR, CFB and OFB, which take any number of bytes in pieces, and XTS, where each call is a data unit. */
#include <stddef.h>
#include <string.h>

#include "params.h"
#include "provider.h"

typedef struct stream_context {
    base base;
    uint8_t iv[BLOCK]; /* CTR: the counter of the next block that is not begun */
    uint8_t first_iv[BLOCK];
    uint8_t keystream[BLOCK]; /* CTR: of the block before, if ready */
    size_t used;              /* bytes of the last block that are done, 0 to 15 */
    uint8_t ready;
    uint8_t iv_set;
    uint8_t use_bits;     /* CFB1: sizes count bits */
    uint8_t padding;      /* only remembered */
    uint8_t equal_halves; /* XTS: the key only decrypts */
    union {
        rijn_key aes;
        rijn_xts_key xts;
    } key; /* last: contexts are only as long as their key */
} stream_context;

enum { XTS_UNIT_MAX = 1 << 24 };

void *stream_new(const provider_instance *provider, const cipher_spec *algorithm)
{
    stream_context *context = NULL;
    size_t key = algorithm->kind == KIND_XTS ? sizeof context->key.xts : sizeof context->key.aes;

    context = plain_new(provider, algorithm, offsetof(stream_context, key) + key);
    if (context != NULL)
        context->padding = 1;
    return context;
}

static rijn_status set_key(stream_context *context, const uint8_t *bytes, size_t size)
{
    rijn_xts_key *xts = &context->key.xts;
    rijn_status status;

    if (context->base.algorithm->kind != KIND_XTS)
        return rijn_key_init(&context->key.aes, bytes, size, NULL);
    status = rijn_xts_key_init(xts, bytes, size, NULL);
    context->equal_halves = status == RIJN_ERR_EQUAL_HALVES;
    if (status != RIJN_ERR_EQUAL_HALVES || context->base.encrypt)
        return status;
    /* as OpenSSL, for data that such a key encrypted earlier */
    status = rijn_key_init(&xts->data, bytes, size / 2, NULL);
    return status == RIJN_OK ? rijn_key_init(&xts->tweak, bytes + size / 2, size / 2, NULL)
                             : status;
}

static int stream_init(stream_context *context, const uint8_t *key, size_t key_size,
                       const uint8_t *iv, size_t iv_size, const OSSL_PARAM params[])
{
    context->used = 0;
    context->ready = 0;
    context->base.failed = 0;
    if (iv != NULL) {
        if (iv_size != BLOCK)
            return REFUSE(context, INVALID_IV_LENGTH);
        memcpy(context->first_iv, iv, BLOCK);
        memcpy(context->iv, iv, BLOCK);
        context->iv_set = 1;
    } else if (context->iv_set && context->base.algorithm->kind != KIND_CTR) {
        memcpy(context->iv, context->first_iv, BLOCK); /* CTR goes on, to repeat no keystream */
    }
    if (key != NULL) {
        rijn_status status;

        context->base.key_set = 0;
        if (key_size != context->base.algorithm->key_size)
            return REFUSE(context, INVALID_KEY_LENGTH);
        status = set_key(context, key, key_size);
        if (status == RIJN_ERR_EQUAL_HALVES)
            return REFUSE(context, XTS_DUPLICATED_KEYS);
        if (!ACCEPT(context, status))
            return 0;
        context->base.key_set = 1;
    } else if (context->equal_halves && context->base.encrypt) {
        context->base.key_set = 0;
        return REFUSE(context, XTS_DUPLICATED_KEYS);
    }
    return stream_set_params(context, params);
}

START_FUNCTIONS(stream)

/* Written out, so that compilers make one load and one store of them. */
static uint64_t load(const uint8_t b[8])
{
    return (uint64_t)b[0] << 56 | (uint64_t)b[1] << 48 | (uint64_t)b[2] << 40 |
           (uint64_t)b[3] << 32 | (uint64_t)b[4] << 24 | (uint64_t)b[5] << 16 |
           (uint64_t)b[6] << 8 | b[7];
}

static void store(uint8_t b[8], uint64_t word)
{
    b[0] = (uint8_t)(word >> 56);
    b[1] = (uint8_t)(word >> 48);
    b[2] = (uint8_t)(word >> 40);
    b[3] = (uint8_t)(word >> 32);
    b[4] = (uint8_t)(word >> 24);
    b[5] = (uint8_t)(word >> 16);
    b[6] = (uint8_t)(word >> 8);
    b[7] = (uint8_t)word;
}

/* Adds high * 2^64 + low to a counter of 128 bits, which wraps. */
static void add(uint8_t counter[BLOCK], uint64_t high, uint64_t low)
{
    uint64_t sum = load(counter + 8) + low;

    store(counter, load(counter) + high + (sum < low));
    store(counter + 8, sum);
}

/* Continues the last block. Its keystream is computed only now, so that a message of one piece takes one
 * call of librijn. */
static rijn_status finish_block(stream_context *context, uint8_t *out, const uint8_t *in,
                                size_t size)
{
    if (!context->ready) {
        static const uint8_t zeros[BLOCK];
        rijn_status status;

        add(context->iv, UINT64_MAX, UINT64_MAX); /* subtracts 1 */
        status = rijn_ctr_crypt(&context->key.aes, context->iv, context->keystream, zeros, BLOCK);
        add(context->iv, 0, 1);
        if (status != RIJN_OK)
            return status;
        context->ready = 1;
    }
    for (size_t i = 0; i < size; i++)
        out[i] = in[i] ^ context->keystream[context->used + i];
    context->used = (context->used + size) % BLOCK;
    return RIJN_OK;
}

static rijn_status ctr(stream_context *context, uint8_t *out, const uint8_t *in, size_t size)
{
    rijn_status status;

    if (context->used != 0) {
        size_t left = BLOCK - context->used, now = size < left ? size : left;

        if (out != in && overlap(out, size, in, size))
            return RIJN_ERR_OVERLAP; /* before the rest of the block is written */
        status = finish_block(context, out, in, now);
        if (status != RIJN_OK)
            return status;
        out += now;
        in += now;
        size -= now;
    }
    if (size == 0)
        return RIJN_OK;
    status = rijn_ctr_crypt(&context->key.aes, context->iv, out, in, size);
    if (status == RIJN_OK) {
        add(context->iv, 0, (uint64_t)size / BLOCK + (size % BLOCK != 0));
        context->used = size % BLOCK;
        context->ready = 0;
    }
    return status;
}

/* CFB in segments of 1 bit: one block of AES for each bit (SP 800-38A section 6.3). */
static rijn_status cfb1(stream_context *context, uint8_t *out, const uint8_t *in, size_t bits)
{
    uint8_t keystream[BLOCK];
    rijn_status status = RIJN_OK;

    if ((uintptr_t)out > (uintptr_t)in && overlap(out, 1, in, (bits + 7) / 8))
        return RIJN_ERR_OVERLAP;
    for (size_t i = 0; i < bits && status == RIJN_OK; i++) {
        unsigned shift = 7 - (unsigned)(i % 8), input = in[i / 8] >> shift & 1, output, feedback;

        status = rijn_ecb_encrypt(&context->key.aes, keystream, context->iv, BLOCK);
        output = input ^ keystream[0] >> 7;
        feedback = context->base.encrypt ? output : input;
        out[i / 8] = (uint8_t)((out[i / 8] & ~(1u << shift)) | output << shift);
        for (int j = BLOCK - 1; j >= 0; j--) {
            unsigned byte = (unsigned)context->iv[j] << 1 | feedback;

            context->iv[j] = (uint8_t)byte;
            feedback = byte >> 8;
        }
    }
    rijn_wipe(keystream, sizeof keystream);
    return status;
}

static rijn_status crypt(void *opaque, uint8_t *out, const uint8_t *in, size_t size)
{
    stream_context *context = opaque;
    const rijn_key *key = &context->key.aes;
    uint8_t *iv = context->iv;

    switch (context->base.algorithm->kind) {
    case KIND_CTR:
        return ctr(context, out, in, size);
    case KIND_CFB:
        return context->base.encrypt ? rijn_cfb_encrypt(key, iv, &context->used, out, in, size)
                                     : rijn_cfb_decrypt(key, iv, &context->used, out, in, size);
    case KIND_CFB8:
        return context->base.encrypt ? rijn_cfb8_encrypt(key, iv, out, in, size)
                                     : rijn_cfb8_decrypt(key, iv, out, in, size);
    case KIND_CFB1:
        return cfb1(context, out, in, context->use_bits ? size : 8 * size);
    default:
        return rijn_ofb_crypt(key, iv, &context->used, out, in, size);
    }
}

/* One data unit. The IV is its tweak, and stays. */
static int xts(stream_context *context, uint8_t *out, size_t room, const uint8_t *in, size_t size)
{
    const rijn_xts_key *key = &context->key.xts;

    if (room < size)
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    if (size > XTS_UNIT_MAX)
        return REFUSE(context, XTS_DATA_UNIT_IS_TOO_LARGE);
    if (!context->iv_set || out == NULL || in == NULL)
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    return ACCEPT(context, context->base.encrypt
                               ? rijn_xts_encrypt(key, context->iv, out, in, size)
                               : rijn_xts_decrypt(key, context->iv, out, in, size));
}

static int update(stream_context *context, uint8_t *out, size_t *out_size, size_t room,
                  const uint8_t *in, size_t size)
{
    if (!context->base.key_set)
        return REFUSE(context, NO_KEY_SET);
    *out_size = size;
    if (context->base.algorithm->kind == KIND_XTS)
        return xts(context, out, room, in, size);
    if (size == 0)
        return 1;
    if (room < size)
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    if (context->base.algorithm->kind == KIND_CFB1 && size > SIZE_MAX / 8)
        return REFUSE(context, INVALID_INPUT_LENGTH);
    if (out == NULL || in == NULL)
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    return ACCEPT(context, moving(crypt, context, out, in, size));
}

int stream_update(void *opaque, unsigned char *out, size_t *out_size, size_t room,
                  const unsigned char *in, size_t size)
{
    stream_context *context = opaque;

    return remember(&context->base, update(context, out, out_size, room, in, size));
}

int stream_final(void *opaque, unsigned char *out, size_t *out_size, size_t room)
{
    stream_context *context = opaque;

    (void)out;
    (void)room;
    *out_size = 0;
    if (!context->base.key_set)
        return REFUSE(context, NO_KEY_SET);
    return !context->base.failed || REFUSE(context, CIPHER_OPERATION_FAILED);
}

int stream_cipher(void *context, unsigned char *out, size_t *out_size, size_t room,
                  const unsigned char *in, size_t size)
{
    return stream_update(context, out, out_size, room, in, size);
}

int stream_get_params(void *opaque, OSSL_PARAM params[])
{
    stream_context *context = opaque;

    for (OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++) {
        int good = 1;

        switch (find_parameter(param->key)) {
        case PARAMETER_KEYLEN:
            good = put_number(param, context->base.algorithm->key_size);
            break;
        case PARAMETER_IVLEN:
            good = put_number(param, BLOCK);
            break;
        case PARAMETER_PADDING:
            good = put_number(param, context->padding);
            break;
        case PARAMETER_NUM:
            good = put_number(param, context->used);
            break;
        case PARAMETER_IV:
            good = put_bytes(param, context->first_iv, BLOCK);
            break;
        case PARAMETER_UPDATED_IV:
            good = put_bytes(param, context->iv, BLOCK);
            break;
        case PARAMETER_TLS_MAC: /* there is none */
            good = put_bytes(param, NULL, 0);
            break;
        default:
            break;
        }
        if (!good)
            return REFUSE(context, FAILED_TO_SET_PARAMETER);
    }
    return 1;
}

int stream_set_params(void *opaque, const OSSL_PARAM params[])
{
    stream_context *context = opaque;

    for (const OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++) {
        size_t number;
        int good = 1;

        switch (find_parameter(param->key)) {
        case PARAMETER_KEYLEN:
            good = get_number(param, &number) && number == context->base.algorithm->key_size;
            break;
        case PARAMETER_USE_BITS:
            good = get_number(param, &number);
            if (good)
                context->use_bits = number != 0;
            break;
        case PARAMETER_NUM:
            good = get_number(param, &number) && number < BLOCK;
            if (good)
                context->used = number;
            break;
        case PARAMETER_PADDING:
            good = get_number(param, &number);
            if (good)
                context->padding = number != 0;
            break;
        default:
            break;
        }
        if (!good)
            return REFUSE(context, FAILED_TO_GET_PARAMETER);
    }
    return 1;
}
