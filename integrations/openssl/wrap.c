/* Key wrap with and without padding (SP 800-38F, RFC 3394, RFC 5649). Not over rijn_kw_wrap and its siblings,
 * because OpenSSL's ciphers take an initial value from the caller, and have forms that wrap with the
 * decryption of AES (SP 800-38F section 5.1). */
#include <string.h>

#include "masks.h"
#include "params.h"
#include "provider.h"

enum { HALF = 8, WRAP_MAX = INT32_MAX };

typedef struct wrap_context {
    base base;
    rijn_key key;
    uint8_t iv[HALF];
    uint8_t iv_set;
} wrap_context;

static const uint8_t default_iv[HALF] = {0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6};
static const uint8_t default_pad_iv[HALF / 2] = {0xa6, 0x59, 0x59, 0xa6};

void *wrap_new(const provider_instance *provider, const cipher_spec *algorithm)
{
    return plain_new(provider, algorithm, sizeof(wrap_context));
}

static int wrap_init(wrap_context *context, const uint8_t *key, size_t key_size, const uint8_t *iv,
                     size_t iv_size, const OSSL_PARAM params[])
{
    context->base.failed = 0;
    if (iv != NULL) {
        if (iv_size != context->base.algorithm->iv_size)
            return REFUSE(context, INVALID_IV_LENGTH);
        memcpy(context->iv, iv, iv_size);
        context->iv_set = 1;
    }
    if (key != NULL) {
        context->base.key_set = 0;
        if (key_size != context->base.algorithm->key_size)
            return REFUSE(context, INVALID_KEY_LENGTH);
        if (!ACCEPT(context, rijn_key_init(&context->key, key, key_size, NULL)))
            return 0;
        context->base.key_set = 1;
    }
    return wrap_set_params(context, params);
}

START_FUNCTIONS(wrap)

/* One block of AES, in the direction of a wrap or an unwrap. */
static rijn_status one_block(const wrap_context *context, uint8_t block[BLOCK])
{
    int kind = context->base.algorithm->kind;
    int inverse = kind == KIND_WRAP_INV || kind == KIND_WRAP_PAD_INV;

    return context->base.encrypt != inverse ? rijn_ecb_encrypt(&context->key, block, block, BLOCK)
                                            : rijn_ecb_decrypt(&context->key, block, block, BLOCK);
}

/* XORs a step number into A, big-endian. */
static void add_step(uint8_t a[HALF], uint64_t step)
{
    for (int i = HALF - 1; i >= 0; i--) {
        a[i] ^= (uint8_t)step;
        step >>= 8;
    }
}

/* The functions W and its inverse (SP 800-38F section 6.1) on A and R[1] to R[count]. With one R they are one
 * block of AES (section 6.3). */
static rijn_status permute(const wrap_context *context, uint8_t a[HALF], uint8_t *r, size_t count)
{
    uint8_t block[BLOCK];
    uint64_t steps = count == 1 ? 1 : 6 * (uint64_t)count;
    rijn_status status = RIJN_OK;

    memcpy(block, a, HALF);
    for (uint64_t i = 0; i < steps && status == RIJN_OK; i++) {
        uint64_t step = context->base.encrypt ? i + 1 : steps - i;
        uint64_t number = count == 1 ? 0 : step;
        uint8_t *half = r + HALF * ((step - 1) % count);

        if (!context->base.encrypt)
            add_step(block, number);
        memcpy(block + HALF, half, HALF);
        status = one_block(context, block);
        if (context->base.encrypt)
            add_step(block, number);
        memcpy(half, block + HALF, HALF);
    }
    memcpy(a, block, HALF);
    rijn_wipe(block, sizeof block);
    return status;
}

/* Wraps `size` bytes. `out` has room for the padding and 8 bytes more. */
static int wrap(const wrap_context *context, int pad, uint8_t *out, const uint8_t *in, size_t size)
{
    size_t rounded = (size + HALF - 1) / HALF * HALF;

    memmove(out + HALF, in, size);
    memset(out + HALF + size, 0, rounded - size);
    if (pad) {
        memset(out, 0, HALF);
        add_step(out, size);
        memcpy(out, context->iv_set ? context->iv : default_pad_iv, HALF / 2);
    } else {
        memcpy(out, context->iv_set ? context->iv : default_iv, HALF);
    }
    return ACCEPT(context, permute(context, out, out + HALF, rounded / HALF));
}

/* Returns 0 if A and the padding of `data` are what wrapping wrote. Compares without branches. *size
 * receives the size without padding. */
static size_t check_padding(const wrap_context *context, const uint8_t a[HALF], const uint8_t *data,
                            size_t whole, size_t *size)
{
    const uint8_t *expected = context->iv_set ? context->iv : default_pad_iv;
    size_t claimed = 0, padding, difference = 0;

    for (int i = 0; i < HALF / 2; i++) {
        difference |= (size_t)(a[i] ^ expected[i]);
        claimed = claimed << 8 | a[HALF / 2 + i];
    }
    padding = whole - claimed;
    difference |= padding & ~(size_t)(HALF - 1); /* not 0 to 7 */
    padding &= HALF - 1;
    for (size_t i = 0; i < HALF; i++)
        difference |= below(i, padding) & data[whole - 1 - i];
    *size = whole - padding;
    return difference;
}

/* Unwraps `size` bytes. A key that is not authentic becomes zeros. */
static int unwrap(const wrap_context *context, int pad, uint8_t *out, size_t *out_size,
                  const uint8_t *in, size_t size)
{
    const uint8_t *expected = context->iv_set ? context->iv : default_iv;
    uint8_t a[HALF];
    size_t whole = size - HALF;
    size_t difference = 0;
    rijn_status status;

    memcpy(a, in, HALF);
    memmove(out, in + HALF, whole);
    status = permute(context, a, out, whole / HALF);
    if (pad) {
        difference = check_padding(context, a, out, whole, out_size);
    } else {
        for (int i = 0; i < HALF; i++)
            difference |= (size_t)(a[i] ^ expected[i]);
    }
    rijn_wipe(a, sizeof a);
    if (status == RIJN_OK && difference == 0)
        return 1;
    rijn_wipe(out, whole);
    return ACCEPT(context, status) && REFUSE(context, CIPHER_OPERATION_FAILED);
}

/* Each call is a whole key. Without `out` it tells the size of the result; at most that when unwrapping with
 * padding. */
static int update(const wrap_context *context, uint8_t *out, size_t *out_size, size_t room,
                  const uint8_t *in, size_t size)
{
    int kind = context->base.algorithm->kind, encrypt = context->base.encrypt;
    int pad = kind == KIND_WRAP_PAD || kind == KIND_WRAP_PAD_INV;
    size_t least = encrypt ? (pad ? 1 : 2 * HALF) : (pad ? 2 * HALF : 3 * HALF);

    *out_size = 0;
    if (size == 0)
        return 1;
    if (!context->base.key_set)
        return REFUSE(context, NO_KEY_SET);
    if (in == NULL || size < least || size > WRAP_MAX || (size % HALF != 0 && !(encrypt && pad)))
        return REFUSE(context, INVALID_INPUT_LENGTH);
    *out_size = encrypt ? (size + HALF - 1) / HALF * HALF + HALF : size - HALF;
    if (out == NULL)
        return 1;
    if (room < size) /* EVP counts 8 bytes more, which the padding may exceed */
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    return encrypt ? wrap(context, pad, out, in, size)
                   : unwrap(context, pad, out, out_size, in, size);
}

int wrap_update(void *opaque, unsigned char *out, size_t *out_size, size_t room,
                const unsigned char *in, size_t size)
{
    wrap_context *context = opaque;

    return remember(&context->base, update(context, out, out_size, room, in, size));
}

int wrap_final(void *opaque, unsigned char *out, size_t *out_size, size_t room)
{
    const wrap_context *context = opaque;

    (void)out;
    (void)room;
    *out_size = 0;
    return !context->base.failed || REFUSE(context, CIPHER_OPERATION_FAILED);
}

int wrap_get_params(void *opaque, OSSL_PARAM params[])
{
    wrap_context *context = opaque;
    const cipher_spec *algorithm = context->base.algorithm;

    for (OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++) {
        int good = 1;

        switch (find_parameter(param->key)) {
        case PARAMETER_KEYLEN:
            good = put_number(param, algorithm->key_size);
            break;
        case PARAMETER_IVLEN:
            good = put_number(param, algorithm->iv_size);
            break;
        case PARAMETER_PADDING:
            good = put_number(param, algorithm->kind == KIND_WRAP_PAD ||
                                         algorithm->kind == KIND_WRAP_PAD_INV);
            break;
        case PARAMETER_NUM:
            good = put_number(param, 0);
            break;
        case PARAMETER_IV:
        case PARAMETER_UPDATED_IV:
            good = put_bytes(param, context->iv, algorithm->iv_size);
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

int wrap_set_params(void *opaque, const OSSL_PARAM params[])
{
    wrap_context *context = opaque;

    for (const OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++) {
        size_t number;

        if (find_parameter(param->key) == PARAMETER_KEYLEN &&
            !(get_number(param, &number) && number == context->base.algorithm->key_size))
            return REFUSE(context, INVALID_KEY_LENGTH);
    }
    return 1;
}
