/* The native functions of rijn.spark.Native (src/main/java/rijn/spark/Native.java): keys and rows.
 *
 * A row is nonce || ciphertext || tag; with SIV it is tag || ciphertext. Only one caller may use a
 * key at a time: rijn.spark.Worker ensures that. Every function checks offsets and sizes before it
 * uses them. */
#include <jni.h>
#include <rijn.h>

#include <stdlib.h>
#include <string.h>

/* The same order as in rijn.spark.Algorithm. */
enum {
#define RIJN_COLUMN_ALGORITHM(ID, ...) ID,
#include "../../../vectors/columns.def"
    ALGORITHMS
};

/* GCM_NONCE and so on: bytes of a nonce. GCM_KEYS: bit n / 8 is set if keys may have n bytes. */
enum {
#define RIJN_AES_AEAD(ID, id, Class, keys, least, most, usual, ...) \
    ID##_NONCE = (usual), ID##_KEYS = (keys),
#define RIJN_SIV_AEAD(ID, id, Class, keys, ...) ID##_NONCE = 0, ID##_KEYS = (keys),
#define RIJN_AEGIS_AEAD(ID, Class, name, size, ...) ID##_NONCE = (size), ID##_KEYS = KEY(size),
#include "rijn_algorithms.def"
};

static const struct {
    size_t nonce;
    unsigned keys;
} sizes[ALGORITHMS] = {
#define RIJN_COLUMN_ALGORITHM(ID, ...) [ID] = {ID##_NONCE, ID##_KEYS},
#include "../../../vectors/columns.def"
};

enum {
    TAG = 16,
    XAES_PREFIX = 12, /* bytes of the nonce that a derived key depends on */
    DERIVED = 256,    /* cached derived keys, indexed by the prefix's first byte */
    LARGE = 256 << 10 /* see is_large */
};

typedef struct {
    uint8_t prefix[XAES_PREFIX];
    uint8_t there;
    rijn_key key;
} derived;

typedef struct {
    int algorithm;
    size_t nonce_size;
    union {
        rijn_key aes;
        rijn_siv_key siv;
        rijn_aegis_key aegis;
    } key;
    derived derived[]; /* XAES: DERIVED of them; otherwise none */
} state;

static size_t size_of(int algorithm)
{
    return sizeof(state) + (algorithm == XAES ? DERIVED * sizeof(derived) : 0);
}

static void throw_by_name(JNIEnv *env, const char *class_name, const char *text)
{
    jclass class = (*env)->FindClass(env, class_name);
    if (class)
        (*env)->ThrowNew(env, class, text);
}

static void drop(state *s)
{
    rijn_wipe(s, size_of(s->algorithm));
    free(s);
}

static rijn_status set_up(state *s, const uint8_t *bytes, size_t size)
{
    if (s->algorithm < 0 || s->algorithm >= ALGORITHMS)
        return RIJN_ERR_ARGUMENT;
    if (size % 8 || size > 64 || !(sizes[s->algorithm].keys >> size / 8 & 1))
        return RIJN_ERR_KEY_SIZE;
    s->nonce_size = sizes[s->algorithm].nonce;
    switch (s->algorithm) {
    case SIV:
        return rijn_siv_key_init(&s->key.siv, bytes, size, NULL);
    case AEGIS_256:
        return rijn_aegis_key_init(&s->key.aegis, RIJN_AEGIS_256, bytes, size, NULL);
    case AEGIS_128L:
        return rijn_aegis_key_init(&s->key.aegis, RIJN_AEGIS_128L, bytes, size, NULL);
    default:
        return rijn_key_init(&s->key.aes, bytes, size, NULL);
    }
}

/* Returns the derived GCM key for an XAES nonce. On error, returns NULL and sets *status. */
static const rijn_key *derive(state *s, const uint8_t *nonce, rijn_status *status)
{
    derived *d = &s->derived[nonce[0] % DERIVED];
    *status = RIJN_OK;
    if (!d->there || memcmp(d->prefix, nonce, XAES_PREFIX) != 0) {
        d->there = 0;
        *status = rijn_xaes_derive(&d->key, &s->key.aes, nonce);
        if (*status != RIJN_OK)
            return NULL;
        memcpy(d->prefix, nonce, XAES_PREFIX);
        d->there = 1;
    }
    return &d->key;
}

static rijn_status seal(state *s, uint8_t *row, const uint8_t *in, size_t size, const uint8_t *ad,
                        size_t ad_size)
{
    uint8_t *text = row + s->nonce_size;
    uint8_t *tag = text + size;
    const rijn_key *key;
    rijn_status status;
    switch (s->algorithm) {
    case GCM:
        return rijn_gcm_seal(&s->key.aes, text, tag, TAG, row, 12, ad, ad_size, in, size);
    case XAES:
        key = derive(s, row, &status);
        return key ? rijn_gcm_seal(key, text, tag, TAG, row + XAES_PREFIX, 12, ad, ad_size, in,
                                   size)
                   : status;
    case SIV:
        return rijn_siv_seal(&s->key.siv, row + TAG, row, &(rijn_string){ad, ad_size}, 1, in, size);
    case GCM_SIV:
        return rijn_gcm_siv_seal(&s->key.aes, text, tag, TAG, row, 12, ad, ad_size, in, size);
    default:
        return rijn_aegis_seal(&s->key.aegis, text, tag, TAG, row, s->nonce_size, ad, ad_size, in,
                               size);
    }
}

static rijn_status open(state *s, uint8_t *out, const uint8_t *row, size_t size, const uint8_t *ad,
                        size_t ad_size)
{
    const uint8_t *text = row + s->nonce_size;
    const uint8_t *tag = text + size;
    const rijn_key *key;
    rijn_status status;
    switch (s->algorithm) {
    case GCM:
        return rijn_gcm_open(&s->key.aes, out, tag, TAG, row, 12, ad, ad_size, text, size);
    case XAES:
        key = derive(s, row, &status);
        return key ? rijn_gcm_open(key, out, tag, TAG, row + XAES_PREFIX, 12, ad, ad_size, text,
                                   size)
                   : status;
    case SIV:
        return rijn_siv_open(&s->key.siv, out, row, &(rijn_string){ad, ad_size}, 1, row + TAG,
                             size);
    case GCM_SIV:
        return rijn_gcm_siv_open(&s->key.aes, out, tag, TAG, row, 12, ad, ad_size, text, size);
    default:
        return rijn_aegis_open(&s->key.aegis, out, tag, TAG, row, s->nonce_size, ad, ad_size, text,
                               size);
    }
}

/* ---- Arrays of Java --------------------------------------------------------------------- */

/* Returns whether an array has `size` bytes from `start` on. */
static int within(JNIEnv *env, jbyteArray array, jint start, jint size)
{
    jint length = array ? (*env)->GetArrayLength(env, array) : -1;
    return start >= 0 && size >= 0 && start <= length && size <= length - start;
}

/* Returns whether a row takes too long for the garbage collector to wait: value and associated data
 * together are longer than LARGE. */
static int is_large(jint size, jint ad_size)
{
    return (jlong)size + ad_size > LARGE;
}

/* Bytes of an array. A critical array: the array's own bytes, while the garbage collector waits.
 * `copied`: a copy, for large rows. */
typedef struct {
    jbyteArray array;
    jint start, size;
    uint8_t *base, *bytes;
    int copied;
} held;

static int hold(JNIEnv *env, held *h, int copied, jbyteArray array, jint start, jint size)
{
    *h = (held){.array = array, .start = start, .size = size, .copied = copied};
    if (!copied) {
        h->base = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
        h->bytes = h->base ? h->base + start : NULL;
        return h->base != NULL;
    }
    h->base = h->bytes = malloc((size_t)size + 1);
    if (h->base)
        (*env)->GetByteArrayRegion(env, array, start, size, (jbyte *)h->bytes);
    else
        throw_by_name(env, "java/lang/OutOfMemoryError", "no memory for a copy of a value");
    return h->base != NULL;
}

static void release(JNIEnv *env, held *h, int written)
{
    if (!h->base)
        return;
    if (!h->copied) {
        (*env)->ReleasePrimitiveArrayCritical(env, h->array, h->base, written ? 0 : JNI_ABORT);
        return;
    }
    if (written)
        (*env)->SetByteArrayRegion(env, h->array, h->start, h->size, (const jbyte *)h->bytes);
    rijn_wipe(h->base, (size_t)h->size);
    free(h->base);
}

/* ---- The methods of rijn.spark.Native --------------------------------------------------- */

JNIEXPORT jlong JNICALL Java_rijn_spark_Native_key(JNIEnv *, jclass, jint, jbyteArray);
JNIEXPORT void JNICALL Java_rijn_spark_Native_wipe(JNIEnv *, jclass, jlong);
JNIEXPORT jint JNICALL Java_rijn_spark_Native_seal(JNIEnv *, jclass, jlong, jbyteArray, jint,
                                                   jbyteArray, jint, jint, jbyteArray, jint);
JNIEXPORT jint JNICALL Java_rijn_spark_Native_open(JNIEnv *, jclass, jlong, jbyteArray, jbyteArray,
                                                   jint, jint, jbyteArray, jint);
JNIEXPORT jstring JNICALL Java_rijn_spark_Native_text(JNIEnv *, jclass, jint);
JNIEXPORT jstring JNICALL Java_rijn_spark_Native_version(JNIEnv *, jclass);
JNIEXPORT jstring JNICALL Java_rijn_spark_Native_backend(JNIEnv *, jclass);

JNIEXPORT jlong JNICALL Java_rijn_spark_Native_key(JNIEnv *env, jclass class, jint algorithm,
                                                   jbyteArray secret)
{
    (void)class;
    uint8_t bytes[64];
    jint size = secret ? (*env)->GetArrayLength(env, secret) : -1;
    if (size < 0 || size > (jint)sizeof bytes) {
        throw_by_name(env, "java/lang/IllegalArgumentException",
                      rijn_status_text(RIJN_ERR_KEY_SIZE));
        return 0;
    }
    state *s = calloc(1, size_of(algorithm));
    if (!s) {
        throw_by_name(env, "java/lang/OutOfMemoryError", "no memory for a key");
        return 0;
    }
    s->algorithm = algorithm;
    (*env)->GetByteArrayRegion(env, secret, 0, size, (jbyte *)bytes);
    rijn_status status = set_up(s, bytes, (size_t)size);
    rijn_wipe(bytes, sizeof bytes);
    if (status != RIJN_OK) {
        drop(s);
        throw_by_name(env, "java/lang/IllegalArgumentException", rijn_status_text(status));
        return 0;
    }
    return (jlong)(uintptr_t)s;
}

JNIEXPORT void JNICALL Java_rijn_spark_Native_wipe(JNIEnv *env, jclass class, jlong key)
{
    (void)env;
    (void)class;
    if (key)
        drop((state *)(uintptr_t)key);
}

JNIEXPORT jint JNICALL Java_rijn_spark_Native_seal(JNIEnv *env, jclass class, jlong key,
                                                   jbyteArray out, jint head, jbyteArray in,
                                                   jint start, jint size, jbyteArray ad,
                                                   jint ad_size)
{
    (void)class;
    state *s = (state *)(uintptr_t)key;
    if (!s)
        return RIJN_ERR_STATE;
    if (!within(env, in, start, size) || !within(env, ad, 0, ad_size) || !within(env, out, head, 0))
        return RIJN_ERR_ARGUMENT;
    jlong row_size = (jlong)s->nonce_size + size + TAG;
    if ((*env)->GetArrayLength(env, out) - (jlong)head != row_size)
        return RIJN_ERR_SIZE;

    held to = {0}, from = {0}, associated = {0};
    const int copied = is_large(size, ad_size);
    jint status = RIJN_ERR_ARGUMENT; /* with an OutOfMemoryError */
    if (hold(env, &to, copied, out, head, (jint)row_size) &&
        hold(env, &from, copied, in, start, size) && hold(env, &associated, copied, ad, 0, ad_size))
        status =
            (jint)seal(s, to.bytes, from.bytes, (size_t)size, associated.bytes, (size_t)ad_size);
    release(env, &associated, 0);
    release(env, &from, 0);
    release(env, &to, associated.base != NULL);
    return status;
}

JNIEXPORT jint JNICALL Java_rijn_spark_Native_open(JNIEnv *env, jclass class, jlong key,
                                                   jbyteArray out, jbyteArray in, jint start,
                                                   jint size, jbyteArray ad, jint ad_size)
{
    (void)class;
    state *s = (state *)(uintptr_t)key;
    if (!s)
        return RIJN_ERR_STATE;
    if (!within(env, in, start, size) || !within(env, ad, 0, ad_size) || !within(env, out, 0, 0))
        return RIJN_ERR_ARGUMENT;
    jint text_size = size - (jint)s->nonce_size - TAG;
    if (text_size < 0 || (*env)->GetArrayLength(env, out) != text_size)
        return RIJN_ERR_SIZE;

    held to = {0}, from = {0}, associated = {0};
    const int copied = is_large(size, ad_size);
    jint status = RIJN_ERR_ARGUMENT; /* with an OutOfMemoryError */
    if (hold(env, &to, copied, out, 0, text_size) && hold(env, &from, copied, in, start, size) &&
        hold(env, &associated, copied, ad, 0, ad_size))
        status = (jint)open(s, to.bytes, from.bytes, (size_t)text_size, associated.bytes,
                            (size_t)ad_size);
    release(env, &associated, 0);
    release(env, &from, 0);
    release(env, &to, associated.base != NULL);
    return status;
}

JNIEXPORT jstring JNICALL Java_rijn_spark_Native_text(JNIEnv *env, jclass class, jint status)
{
    (void)class;
    return (*env)->NewStringUTF(env, rijn_status_text((rijn_status)status));
}

/* Returns librijn's version. */
JNIEXPORT jstring JNICALL Java_rijn_spark_Native_version(JNIEnv *env, jclass class)
{
    (void)class;
    return (*env)->NewStringUTF(env, rijn_version());
}

/* Returns the name of the default backend on this machine. */
JNIEXPORT jstring JNICALL Java_rijn_spark_Native_backend(JNIEnv *env, jclass class)
{
    (void)class;
    const uint8_t zeros[32] = {0};
    rijn_key key;
    rijn_status status = rijn_key_init(&key, zeros, sizeof zeros, NULL);
    if (status != RIJN_OK) {
        throw_by_name(env, "java/lang/IllegalStateException", rijn_status_text(status));
        return NULL;
    }
    return (*env)->NewStringUTF(env, rijn_key_backend(&key));
}
