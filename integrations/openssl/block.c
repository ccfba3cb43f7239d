/* ECB, CBC, and CBC with ciphertext stealing. */
#include <string.h>
#include <openssl/prov_ssl.h>

#include "masks.h"
#include "params.h"
#include "provider.h"
#include "tls_padding.h"

typedef struct block_context {
    base base;
    rijn_key key;
    uint8_t iv[BLOCK];
    uint8_t first_iv[BLOCK]; /* at the start of the message */
    uint8_t buffer[BLOCK];   /* data that wait for the rest of their block, or for the next call */
    size_t buffered;
    uint8_t iv_set;
    uint8_t padding;
    uint8_t finished;   /* stealing: the one call was there */
    uint8_t cts_mode;   /* 1 to 3 */
    size_t tls_version; /* not 0: each update is a record of this version */
    size_t mac_size;
    uint8_t mac[TLS_MAC_MAX]; /* of the last record */
} block_context;

void *block_new(const provider_instance *provider, const cipher_spec *algorithm)
{
    block_context *context = plain_new(provider, algorithm, sizeof *context);

    if (context != NULL) {
        context->padding = 1;
        context->cts_mode = 1;
    }
    return context;
}

static int block_init(block_context *context, const uint8_t *key, size_t key_size,
                      const uint8_t *iv, size_t iv_size, const OSSL_PARAM params[])
{
    size_t expected = context->base.algorithm->iv_size;

    context->buffered = 0;
    context->finished = 0;
    context->base.failed = 0;
    if (iv != NULL && expected != 0) {
        if (iv_size != expected)
            return REFUSE(context, INVALID_IV_LENGTH);
        memcpy(context->first_iv, iv, BLOCK);
        context->iv_set = 1;
    }
    if (context->iv_set) /* also without an IV: the message then starts with the last one */
        memcpy(context->iv, context->first_iv, BLOCK);
    if (key != NULL) {
        context->base.key_set = 0;
        if (key_size != context->base.algorithm->key_size)
            return REFUSE(context, INVALID_KEY_LENGTH);
        if (!ACCEPT(context, rijn_key_init(&context->key, key, key_size, NULL)))
            return 0;
        context->base.key_set = 1;
    }
    return block_set_params(context, params);
}

START_FUNCTIONS(block)

/* Encrypts or decrypts whole blocks. */
static rijn_status whole_blocks(void *opaque, uint8_t *out, const uint8_t *in, size_t size)
{
    block_context *context = opaque;

    if (context->base.algorithm->kind == KIND_ECB)
        return context->base.encrypt ? rijn_ecb_encrypt(&context->key, out, in, size)
                                     : rijn_ecb_decrypt(&context->key, out, in, size);
    return context->base.encrypt ? rijn_cbc_encrypt(&context->key, context->iv, out, in, size)
                                 : rijn_cbc_decrypt(&context->key, context->iv, out, in, size);
}

static int run(block_context *context, uint8_t *out, const uint8_t *in, size_t size)
{
    return size == 0 || ACCEPT(context, moving(whole_blocks, context, out, in, size));
}

/* ---- Ciphertext stealing (addendum to SP 800-38A) ---- */

/* Encrypts a message of at least 16 bytes. In CS1 the last whole ciphertext block stands at the end. CS3,
 * and CS2 if the last block is short, exchange the two last blocks. */
static int steal_encrypt(block_context *context, uint8_t *out, const uint8_t *in, size_t size)
{
    size_t rest = size % BLOCK;
    size_t swap = context->cts_mode == 3 || (context->cts_mode == 2 && rest != 0);
    uint8_t last[BLOCK] = {0};
    int good;

    if (rest == 0 && !(swap && size > BLOCK))
        return run(context, out, in, size);
    if (rest == 0)
        rest = BLOCK;
    memcpy(last, in + size - rest, rest); /* padded with zeros */
    good = run(context, out, in, size - rest) && run(context, last, last, BLOCK);
    if (good) {
        uint8_t *end = out + size - rest; /* after the last whole block */

        if (swap) {
            memmove(end, end - BLOCK, rest);
            memcpy(end - BLOCK, last, BLOCK);
        } else {
            memcpy(end - BLOCK + rest, last, BLOCK);
        }
    }
    rijn_wipe(last, sizeof last);
    return good;
}

static int steal_decrypt(block_context *context, uint8_t *out, const uint8_t *in, size_t size)
{
    size_t rest = size % BLOCK;
    size_t swap = context->cts_mode == 3 || (context->cts_mode == 2 && rest != 0);
    uint8_t chain[BLOCK], whole[BLOCK], shorter[BLOCK], text[BLOCK];
    size_t before;
    int good;

    if (rest == 0 && !(swap && size > BLOCK))
        return run(context, out, in, size);
    if (rest == 0)
        rest = BLOCK;
    before = size - rest - BLOCK;
    memcpy(whole, swap ? in + before : in + before + rest, BLOCK);
    memcpy(shorter, swap ? in + before + BLOCK : in + before, rest);

    good = run(context, out, in, before);
    memcpy(chain, context->iv, BLOCK);
    memset(context->iv, 0, BLOCK);
    good = good && run(context, text, whole, BLOCK);
    if (good) {
        /* text is the last plaintext, padded with zeros, XOR the ciphertext block before */
        memcpy(shorter + rest, text + rest, BLOCK - rest);
        for (size_t i = 0; i < rest; i++)
            text[i] ^= shorter[i];
        memcpy(context->iv, chain, BLOCK);
        good = run(context, shorter, shorter, BLOCK);
        memcpy(context->iv, whole, BLOCK);
    }
    if (good) {
        memcpy(out + before, shorter, BLOCK);
        memcpy(out + before + BLOCK, text, rest);
    }
    rijn_wipe(shorter, sizeof shorter);
    rijn_wipe(text, sizeof text);
    return good;
}

/* The one call of a message. */
static int steal(block_context *context, uint8_t *out, size_t *out_size, size_t room,
                 const uint8_t *in, size_t size)
{
    if (size < BLOCK || room < size)
        return 0;
    *out_size = size;
    if (out == NULL)
        return 1;
    if (context->finished || in == NULL)
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    context->finished = 1;
    return context->base.encrypt ? steal_encrypt(context, out, in, size)
                                 : steal_decrypt(context, out, in, size);
}

/* ---- Records of TLS 1.2 and older ---- */

/* Encrypts a record in place, with padding; or decrypts it, and takes padding and MAC off. The record of
 * TLS 1.1 and newer begins with a block, its IV, which is not counted in the decrypted size. */
static int tls_record(block_context *context, uint8_t *out, size_t *out_size, size_t room,
                      const uint8_t *in, size_t size)
{
    int ssl3 = context->tls_version == SSL3_VERSION;
    size_t iv = ssl3 || context->tls_version == TLS1_VERSION ? 0 : BLOCK;

    if (in == NULL || in != out || room < size || !context->padding)
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    if (context->base.encrypt) {
        size_t added = BLOCK - size % BLOCK;

        if (room - size < added)
            return REFUSE(context, CIPHER_OPERATION_FAILED);
        memset(out + size, ssl3 ? 0 : (int)(added - 1), added);
        out[size + added - 1] = (uint8_t)(added - 1);
        *out_size = size + added;
        return run(context, out, in, size + added);
    }
    if (size % BLOCK != 0 || size <= iv || !run(context, out, in, size))
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    if (!tls_unpad(out + iv, size - iv, out_size, context->mac, context->mac_size, ssl3))
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    return 1;
}

/* ---- Messages ---- */

static int update(block_context *context, uint8_t *out, size_t *out_size, size_t room,
                  const uint8_t *in, size_t size)
{
    size_t total = context->buffered + size;
    size_t whole = total / BLOCK * BLOCK;

    if (!context->base.key_set)
        return REFUSE(context, NO_KEY_SET);
    if (context->base.algorithm->kind == KIND_CTS)
        return steal(context, out, out_size, room, in, size);
    if (context->tls_version != 0)
        return tls_record(context, out, out_size, room, in, size);
    /* the last block may be padding, which the end of the message takes off */
    if (!context->base.encrypt && context->padding && whole == total && whole != 0)
        whole -= BLOCK;
    if (whole > room)
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    if (in == NULL && size != 0)
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    *out_size = whole;
    if (whole != 0 && context->buffered != 0) {
        size_t missing = BLOCK - context->buffered;

        /* the first block must not be written over input that is still to be read */
        if (overlap(out, BLOCK, in + missing, size - missing))
            return ACCEPT(context, RIJN_ERR_OVERLAP);
        if (missing != 0)
            memcpy(context->buffer + context->buffered, in, missing);
        if (!run(context, out, context->buffer, BLOCK))
            return 0;
        in += missing;
        size -= missing;
        out += BLOCK;
        whole -= BLOCK;
        context->buffered = 0;
    }
    if (whole != 0) {
        if (!run(context, out, in, whole))
            return 0;
        in += whole;
        size -= whole;
    }
    if (size != 0)
        memcpy(context->buffer + context->buffered, in, size);
    context->buffered += size;
    return 1;
}

int block_update(void *opaque, unsigned char *out, size_t *out_size, size_t room,
                 const unsigned char *in, size_t size)
{
    block_context *context = opaque;

    return remember(&context->base, update(context, out, out_size, room, in, size));
}

/* Takes the padding off the last block. The answer tells whether the padding is well formed, so data
 * must be authenticated before (a padding oracle). The bytes are compared in constant time. */
static int unpad(block_context *context, uint8_t *out, size_t *out_size, size_t room)
{
    size_t value, difference = 0, size;

    if (!run(context, context->buffer, context->buffer, BLOCK))
        return 0;
    context->buffered = 0;
    value = context->buffer[BLOCK - 1];
    for (size_t i = 0; i < BLOCK; i++)
        difference |= below(i, value) & (value ^ context->buffer[BLOCK - 1 - i]);
    difference |= equal(value, 0) | below(BLOCK, value);
    if (difference != 0)
        return REFUSE(context, BAD_DECRYPT);
    size = BLOCK - value;
    if (size == 0)
        return 1;
    if (out == NULL || size > room)
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    memcpy(out, context->buffer, size);
    *out_size = size;
    return 1;
}

int block_final(void *opaque, unsigned char *out, size_t *out_size, size_t room)
{
    block_context *context = opaque;
    uint8_t value = (uint8_t)(BLOCK - context->buffered);

    if (!context->base.key_set)
        return REFUSE(context, NO_KEY_SET);
    *out_size = 0;
    if (context->base.failed)
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    if (context->base.algorithm->kind == KIND_CTS)
        return 1;
    if (context->tls_version != 0) /* a record has no end apart from its update */
        return REFUSE(context, CIPHER_OPERATION_FAILED);
    if (!context->padding) {
        if (context->buffered % BLOCK != 0)
            return REFUSE(context, WRONG_FINAL_BLOCK_LENGTH);
        if (context->buffered == 0)
            return 1;
    }
    if (!context->base.encrypt && context->buffered != BLOCK)
        return REFUSE(context, WRONG_FINAL_BLOCK_LENGTH);
    if (!context->base.encrypt && context->padding)
        return unpad(context, out, out_size, room);
    if (room < BLOCK)
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    memset(context->buffer + context->buffered, value, value);
    context->buffered = 0;
    *out_size = BLOCK;
    return run(context, out, context->buffer, BLOCK);
}

/* EVP_Cipher: whole blocks, without buffer and padding. */
static int direct(block_context *context, uint8_t *out, size_t *out_size, size_t room,
                  const uint8_t *in, size_t size)
{
    if (!context->base.key_set)
        return REFUSE(context, NO_KEY_SET);
    if (context->base.algorithm->kind == KIND_CTS)
        return steal(context, out, out_size, room, in, size);
    if (room < size)
        return REFUSE(context, OUTPUT_BUFFER_TOO_SMALL);
    *out_size = size;
    return run(context, out, in, size);
}

int block_cipher(void *opaque, unsigned char *out, size_t *out_size, size_t room,
                 const unsigned char *in, size_t size)
{
    block_context *context = opaque;

    return remember(&context->base, direct(context, out, out_size, room, in, size));
}

/* ---- Parameters ---- */

static const char *const cts_names[] = {"", OSSL_CIPHER_CTS_MODE_CS1, OSSL_CIPHER_CTS_MODE_CS2,
                                        OSSL_CIPHER_CTS_MODE_CS3};

int block_get_params(void *opaque, OSSL_PARAM params[])
{
    block_context *context = opaque;
    size_t iv_size = context->base.algorithm->iv_size;

    for (OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++) {
        int good = 1;

        switch (find_parameter(param->key)) {
        case PARAMETER_KEYLEN:
            good = put_number(param, context->base.algorithm->key_size);
            break;
        case PARAMETER_IVLEN:
            good = put_number(param, iv_size);
            break;
        case PARAMETER_PADDING:
            good = put_number(param, context->padding);
            break;
        case PARAMETER_NUM:
            good = put_number(param, 0);
            break;
        case PARAMETER_IV:
            good = put_bytes(param, context->first_iv, iv_size);
            break;
        case PARAMETER_UPDATED_IV:
            good = put_bytes(param, context->iv, iv_size);
            break;
        case PARAMETER_CTS_MODE:
            if (context->base.algorithm->kind == KIND_CTS)
                good = put_text(param, cts_names[context->cts_mode]);
            break;
        case PARAMETER_TLS_MAC:
            good = put_bytes(param, context->mac, context->mac_size);
            break;
        default:
            break;
        }
        if (!good)
            return REFUSE(context, FAILED_TO_SET_PARAMETER);
    }
    return 1;
}

static int set_cts_mode(block_context *context, const OSSL_PARAM *param)
{
    const char *name;
    size_t size = get_text(param, &name);

    if (context->base.algorithm->kind != KIND_CTS)
        return 1;
    for (uint8_t mode = 1; mode <= 3; mode++)
        if (size == strlen(cts_names[mode]) && same_name(name, cts_names[mode], size)) {
            context->cts_mode = mode;
            return 1;
        }
    return 0;
}

int block_set_params(void *opaque, const OSSL_PARAM params[])
{
    block_context *context = opaque;

    for (const OSSL_PARAM *param = params; param != NULL && param->key != NULL; param++) {
        size_t number;
        int good = 1;

        switch (find_parameter(param->key)) {
        case PARAMETER_PADDING:
            good = get_number(param, &number);
            if (good)
                context->padding = number != 0;
            break;
        case PARAMETER_NUM:
            good = get_number(param, &number) && number < BLOCK;
            break;
        case PARAMETER_KEYLEN:
            good = get_number(param, &number) && number == context->base.algorithm->key_size;
            break;
        case PARAMETER_TLS_VERSION:
            good = get_number(param, &context->tls_version);
            break;
        case PARAMETER_TLS_MAC_SIZE:
            good = get_number(param, &number) && number <= TLS_MAC_MAX;
            if (good)
                context->mac_size = number;
            break;
        case PARAMETER_CTS_MODE:
            good = set_cts_mode(context, param);
            break;
        default:
            break;
        }
        if (!good)
            return REFUSE(context, FAILED_TO_GET_PARAMETER);
    }
    return 1;
}
