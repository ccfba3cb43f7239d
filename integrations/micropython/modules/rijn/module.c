/* MicroPython's module `rijn` on librijn, with the names and errors of rijn.py. It is built into a
 * firmware (firmware.h) or as a native .mpy (native.h).
 *
 * Methods that write into a buffer allocate nothing. Methods take any buffer of bytes, but no str
 * and no buffer of wider items. __del__ wipes the key. In a firmware the collector calls it when it
 * frees the object. */
#include <string.h>

#ifdef MICROPY_ENABLE_DYNRUNTIME
#include "native.h"
#else
#include "firmware.h"
#endif
#include "rijn.h"

typedef struct {
    mp_obj_base_t base;
    rijn_key key;
} aes_obj;

typedef struct {
    mp_obj_base_t base;
    rijn_aegis_key key;
} aegis_obj;

typedef struct {
    mp_obj_base_t base;
    rijn_key key;
    rijn_cmac_state state;
    bool ended;
} cmac_obj;

typedef struct {
    const uint8_t *data;
    size_t size;
} bytes;

EXCEPTION(InvalidTag);
CLASS_AHEAD(gcm);

/* ---- Arguments -------------------------------------------------------------------------- */

/* Returns whether the value is a buffer of bytes. */
static bool has_bytes(mp_obj_t value, mp_buffer_info_t *found, mp_uint_t flags)
{
    return !mp_obj_is_str(value) && mp_get_buffer(value, found, flags) &&
           (found->typecode == 'B' || found->typecode == 'b' ||
            found->typecode == BYTEARRAY_TYPECODE);
}

static bytes readable(const char *name, mp_obj_t value)
{
    mp_buffer_info_t found;

    if (!has_bytes(value, &found, MP_BUFFER_READ))
        raise_error(&mp_type_TypeError, "%s must be bytes, bytearray or memoryview of bytes", name);
    return (bytes){found.buf, found.len};
}

static bytes sized(const char *name, mp_obj_t value, size_t size)
{
    bytes found = readable(name, value);

    if (found.size != size)
        raise_error(&mp_type_ValueError, "%s must be %u bytes, not %u", name, (unsigned)size,
                    (unsigned)found.size);
    return found;
}

static bytes whole_blocks(mp_obj_t value)
{
    bytes found = readable("data", value);

    if (found.size % 16)
        raise_error(&mp_type_ValueError, "data must be a multiple of 16 bytes, not %u",
                    (unsigned)found.size);
    return found;
}

static uint8_t *output(mp_obj_t value, size_t size)
{
    mp_buffer_info_t found;

    if (!has_bytes(value, &found, MP_BUFFER_WRITE))
        raise_error(&mp_type_TypeError, "buf must be writable, and of bytes");
    if (found.len != size)
        raise_error(&mp_type_ValueError, "buf must be exactly %u bytes, not %u", (unsigned)size,
                    (unsigned)found.len);
    return found.buf;
}

static void check(rijn_status status)
{
    if (status == RIJN_OK)
        return;
    if (status == RIJN_ERR_TAG)
        raise_error(EXCEPTION_TYPE(InvalidTag), "authentication failed");
    if (status == RIJN_ERR_OVERLAP)
        raise_error(&mp_type_ValueError, "arguments overlap");
    if (status == RIJN_ERR_STATE)
        raise_error(&mp_type_RuntimeError, "the key has been wiped");
    raise_error(&mp_type_ValueError, "%s", rijn_status_text(status));
}

/* Returns the 16 bytes of an iv or a counter. Refuses overlap with `out`, because librijn does not
 * check that. */
static const uint8_t *apart(const char *name, mp_obj_t value, const uint8_t *out, size_t size)
{
    const uint8_t *found = sized(name, value, 16).data;

    if ((uintptr_t)found - (uintptr_t)out < size || (uintptr_t)out - (uintptr_t)found < 16)
        check(size ? RIJN_ERR_OVERLAP : RIJN_OK);
    return found;
}

static void aes_key(rijn_key *key, mp_obj_t value)
{
    bytes found = readable("key", value);

    if (found.size != 16 && found.size != 24 && found.size != 32)
        raise_error(&mp_type_ValueError, "key must be 16 or 24 or 32 bytes, not %u",
                    (unsigned)found.size);
    check(rijn_key_init(key, found.data, found.size, RIJN_MODULE_BACKEND));
}

/* Allocates memory for a result. After a failure, the collector frees it. */
static uint8_t *new_data(size_t size)
{
    return m_malloc(size + 1);
}

/* Makes a bytes object of memory from new_data. */
static mp_obj_t result(uint8_t *data, size_t size)
{
    mp_obj_str_t *made = mp_obj_malloc(mp_obj_str_t, &mp_type_bytes);

    data[size] = 0;
    made->hash = 0; /* computed when it is asked for */
    made->len = size;
    made->data = data;
    return MP_OBJ_FROM_PTR(made);
}

/* ---- AES -------------------------------------------------------------------------------- */

static mp_obj_t aes_make(const mp_obj_type_t *type, size_t count, size_t named,
                         const mp_obj_t *arguments)
{
    aes_obj *self;

    mp_arg_check_num(count, named, 1, 1, false);
    self = new_object(aes_obj, type);
    memset(&self->key, 0, sizeof self->key);
    aes_key(&self->key, arguments[0]);
    return MP_OBJ_FROM_PTR(self);
}

static mp_obj_t aes_del(mp_obj_t object)
{
    rijn_key_wipe(&((aes_obj *)MP_OBJ_TO_PTR(object))->key);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(aes_del_obj, aes_del);

typedef rijn_status ecb(const rijn_key *, uint8_t *, const uint8_t *, size_t);
typedef rijn_status cbc(const rijn_key *, uint8_t *, uint8_t *, const uint8_t *, size_t);

#define KEY(object) (&((const aes_obj *)MP_OBJ_TO_PTR(object))->key)

static mp_obj_t ecb_into(ecb *crypt, mp_obj_t self, mp_obj_t data, mp_obj_t buf)
{
    bytes in = whole_blocks(data);

    check(crypt(KEY(self), output(buf, in.size), in.data, in.size));
    return MP_OBJ_NEW_SMALL_INT(in.size);
}

static mp_obj_t ecb_fresh(ecb *crypt, mp_obj_t self, mp_obj_t data)
{
    bytes in = whole_blocks(data);
    uint8_t *made = new_data(in.size);

    check(crypt(KEY(self), made, in.data, in.size));
    return result(made, in.size);
}

static void cbc_to(cbc *crypt, mp_obj_t self, mp_obj_t iv, uint8_t *out, bytes in)
{
    uint8_t chain[16];

    memcpy(chain, apart("iv", iv, out, in.size), sizeof chain);
    check(crypt(KEY(self), chain, out, in.data, in.size));
}

static mp_obj_t cbc_into(cbc *crypt, const mp_obj_t *arguments)
{
    bytes in = whole_blocks(arguments[2]);

    cbc_to(crypt, arguments[0], arguments[1], output(arguments[3], in.size), in);
    return MP_OBJ_NEW_SMALL_INT(in.size);
}

static mp_obj_t cbc_fresh(cbc *crypt, mp_obj_t self, mp_obj_t iv, mp_obj_t data)
{
    bytes in = whole_blocks(data);
    uint8_t *made = new_data(in.size);

    cbc_to(crypt, self, iv, made, in);
    return result(made, in.size);
}

#define RAW(way) \
    static mp_obj_t ecb_##way##_into(mp_obj_t self, mp_obj_t data, mp_obj_t buf) \
    { \
        return ecb_into(rijn_ecb_##way, self, data, buf); \
    } \
    static MP_DEFINE_CONST_FUN_OBJ_3(ecb_##way##_into_obj, ecb_##way##_into); \
    static mp_obj_t ecb_##way(mp_obj_t self, mp_obj_t data) \
    { \
        return ecb_fresh(rijn_ecb_##way, self, data); \
    } \
    static MP_DEFINE_CONST_FUN_OBJ_2(ecb_##way##_obj, ecb_##way); \
    static mp_obj_t cbc_##way##_into(size_t count, const mp_obj_t *arguments) \
    { \
        (void)count; \
        return cbc_into(rijn_cbc_##way, arguments); \
    } \
    static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(cbc_##way##_into_obj, 4, 4, cbc_##way##_into); \
    static mp_obj_t cbc_##way(mp_obj_t self, mp_obj_t iv, mp_obj_t data) \
    { \
        return cbc_fresh(rijn_cbc_##way, self, iv, data); \
    } \
    static MP_DEFINE_CONST_FUN_OBJ_3(cbc_##way##_obj, cbc_##way)

RAW(encrypt);
RAW(decrypt);

static void ctr_to(mp_obj_t self, mp_obj_t counter, uint8_t *out, bytes in)
{
    check(
        rijn_ctr_crypt(KEY(self), apart("counter", counter, out, in.size), out, in.data, in.size));
}

static mp_obj_t ctr_into(size_t count, const mp_obj_t *arguments)
{
    bytes in = readable("data", arguments[2]);

    (void)count;
    ctr_to(arguments[0], arguments[1], output(arguments[3], in.size), in);
    return MP_OBJ_NEW_SMALL_INT(in.size);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(ctr_into_obj, 4, 4, ctr_into);

static mp_obj_t ctr(mp_obj_t self, mp_obj_t counter, mp_obj_t data)
{
    bytes in = readable("data", data);
    uint8_t *made = new_data(in.size);

    ctr_to(self, counter, made, in);
    return result(made, in.size);
}
static MP_DEFINE_CONST_FUN_OBJ_3(ctr_obj, ctr);

static const MP_DEFINE_STR_OBJ(backend, RIJN_MODULE_BACKEND);

#define AES_NAMES(X) \
    X(OBJECT, MP_QSTR_ecb_encrypt, ecb_encrypt_obj) \
    X(OBJECT, MP_QSTR_ecb_decrypt, ecb_decrypt_obj) \
    X(OBJECT, MP_QSTR_ecb_encrypt_into, ecb_encrypt_into_obj) \
    X(OBJECT, MP_QSTR_ecb_decrypt_into, ecb_decrypt_into_obj) \
    X(OBJECT, MP_QSTR_cbc_encrypt, cbc_encrypt_obj) \
    X(OBJECT, MP_QSTR_cbc_decrypt, cbc_decrypt_obj) \
    X(OBJECT, MP_QSTR_cbc_encrypt_into, cbc_encrypt_into_obj) \
    X(OBJECT, MP_QSTR_cbc_decrypt_into, cbc_decrypt_into_obj) \
    X(OBJECT, MP_QSTR_ctr_encrypt, ctr_obj) \
    X(OBJECT, MP_QSTR_ctr_decrypt, ctr_obj) \
    X(OBJECT, MP_QSTR_ctr_encrypt_into, ctr_into_obj) \
    X(OBJECT, MP_QSTR_ctr_decrypt_into, ctr_into_obj) \
    X(OBJECT, MP_QSTR_backend, backend) \
    X(OBJECT, MP_QSTR___del__, aes_del_obj)
CLASS(aes, MP_QSTR_AES, aes_make, AES_NAMES);

/* ---- AESGCM and AEGIS128L ----------------------------------------------------------------- */

/* Seals a message: ciphertext and tag to `out`. */
static rijn_status seal(mp_obj_t self, uint8_t *out, bytes nonce, bytes ad, bytes in)
{
    if (mp_obj_get_type(self) == CLASS_TYPE(gcm))
        return rijn_gcm_seal(KEY(self), out, out + in.size, 16, nonce.data, nonce.size, ad.data,
                             ad.size, in.data, in.size);
    return rijn_aegis_seal(&((const aegis_obj *)MP_OBJ_TO_PTR(self))->key, out, out + in.size, 16,
                           nonce.data, nonce.size, ad.data, ad.size, in.data, in.size);
}

/* Opens a message. The tag follows `in`. */
static rijn_status open_message(mp_obj_t self, uint8_t *out, bytes nonce, bytes ad, bytes in)
{
    const uint8_t *tag = in.data + in.size;

    if (mp_obj_get_type(self) == CLASS_TYPE(gcm))
        return rijn_gcm_open(KEY(self), out, tag, 16, nonce.data, nonce.size, ad.data, ad.size,
                             in.data, in.size);
    return rijn_aegis_open(&((const aegis_obj *)MP_OBJ_TO_PTR(self))->key, out, tag, 16, nonce.data,
                           nonce.size, ad.data, ad.size, in.data, in.size);
}

static bytes nonce_of(mp_obj_t self, mp_obj_t value)
{
    bytes nonce;

    if (mp_obj_get_type(self) != CLASS_TYPE(gcm))
        return sized("nonce", value, 16);
    nonce = readable("nonce", value);
    if (!nonce.size)
        raise_error(&mp_type_ValueError, "nonce must not be empty");
    return nonce;
}

static bytes extra_of(mp_obj_t value)
{
    return value == mp_const_none ? (bytes){NULL, 0} : readable("associated_data", value);
}

/* Returns the ciphertext in `data`. The tag follows it. */
static bytes ciphertext(mp_obj_t data)
{
    bytes in = readable("data", data);

    if (in.size < 16)
        check(RIJN_ERR_TAG);
    in.size -= 16;
    return in;
}

/* Parses nonce, data and associated_data, after self, by position or by name. */
static void aead_arguments(size_t count, const mp_obj_t *arguments, mp_map_t *named,
                           mp_arg_val_t found[3])
{
    const mp_arg_t allowed[] = {
        {MP_QSTR_nonce, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL}},
        {MP_QSTR_data, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_obj = MP_OBJ_NULL}},
        {MP_QSTR_associated_data, MP_ARG_OBJ, {.u_obj = mp_const_none}},
    };

    mp_arg_parse_all(count - 1, arguments + 1, named, 3, allowed, found);
}

static mp_obj_t encrypt(size_t count, const mp_obj_t *arguments, mp_map_t *named)
{
    mp_obj_t self = arguments[0];
    mp_arg_val_t found[3];
    bytes in, nonce, ad;
    uint8_t *made;

    aead_arguments(count, arguments, named, found);
    in = readable("data", found[1].u_obj);
    nonce = nonce_of(self, found[0].u_obj);
    ad = extra_of(found[2].u_obj);
    made = new_data(in.size + 16);
    check(seal(self, made, nonce, ad, in));
    return result(made, in.size + 16);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(encrypt_obj, 1, encrypt);

static mp_obj_t decrypt(size_t count, const mp_obj_t *arguments, mp_map_t *named)
{
    mp_obj_t self = arguments[0];
    mp_arg_val_t found[3];
    bytes in, nonce, ad;
    uint8_t *made;

    aead_arguments(count, arguments, named, found);
    in = ciphertext(found[1].u_obj);
    nonce = nonce_of(self, found[0].u_obj);
    ad = extra_of(found[2].u_obj);
    made = new_data(in.size);
    check(open_message(self, made, nonce, ad, in));
    return result(made, in.size);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(decrypt_obj, 1, decrypt);

static mp_obj_t encrypt_into(size_t count, const mp_obj_t *a)
{
    bytes in = readable("data", a[2]), nonce = nonce_of(a[0], a[1]), ad = extra_of(a[3]);

    (void)count;
    check(seal(a[0], output(a[4], in.size + 16), nonce, ad, in));
    return MP_OBJ_NEW_SMALL_INT(in.size + 16);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(encrypt_into_obj, 5, 5, encrypt_into);

static mp_obj_t decrypt_into(size_t count, const mp_obj_t *a)
{
    bytes in = ciphertext(a[2]), nonce = nonce_of(a[0], a[1]), ad = extra_of(a[3]);

    (void)count;
    check(open_message(a[0], output(a[4], in.size), nonce, ad, in));
    return MP_OBJ_NEW_SMALL_INT(in.size);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(decrypt_into_obj, 5, 5, decrypt_into);

/* Parses bit_length. flag: MP_ARG_REQUIRED, or 0 if it has a default. */
static mp_int_t bits_of(size_t count, const mp_obj_t *arguments, mp_map_t *named, mp_uint_t flag,
                        mp_obj_t preset)
{
    const mp_arg_t allowed[] = {{MP_QSTR_bit_length, flag | MP_ARG_OBJ, {.u_obj = preset}}};
    mp_arg_val_t found[1];

    mp_arg_parse_all(count, arguments, named, 1, allowed, found);
    return mp_obj_get_int(found[0].u_obj);
}

/* Returns a new key from the port's os.urandom. */
static mp_obj_t random_key(mp_int_t bits)
{
    mp_obj_t os = mp_import_name(MP_QSTR_os, mp_const_none, MP_OBJ_NEW_SMALL_INT(0));
    mp_obj_t size = MP_OBJ_NEW_SMALL_INT(bits / 8);
    mp_obj_t urandom[2];

    mp_load_method_maybe(os, MP_QSTR_urandom, urandom);
    if (urandom[0] == MP_OBJ_NULL)
        raise_error(&mp_type_OSError, "this board has no random source: make the key elsewhere");
    return mp_call_function_n_kw(urandom[0], 1, 0, &size);
}

static mp_obj_t gcm_generate_key(size_t count, const mp_obj_t *arguments, mp_map_t *named)
{
    mp_int_t bits = bits_of(count, arguments, named, MP_ARG_REQUIRED, MP_OBJ_NULL);

    if (bits != 128 && bits != 192 && bits != 256)
        raise_error(&mp_type_ValueError, "bit_length must be 128 or 192 or 256, not %d", (int)bits);
    return random_key(bits);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(gcm_generate_key_obj, 0, gcm_generate_key);
STATIC_METHOD(gcm_generate_key);
NUMBERS(gcm_key_sizes, 3, MP_ROM_INT(16), MP_ROM_INT(24), MP_ROM_INT(32));

static mp_obj_t aegis_generate_key(size_t count, const mp_obj_t *arguments, mp_map_t *named)
{
    mp_int_t bits = bits_of(count, arguments, named, 0, MP_OBJ_NEW_SMALL_INT(128));

    if (bits != 128)
        raise_error(&mp_type_ValueError, "bit_length must be 128, not %d", (int)bits);
    return random_key(bits);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(aegis_generate_key_obj, 0, aegis_generate_key);
STATIC_METHOD(aegis_generate_key);
NUMBERS(aegis_key_sizes, 1, MP_ROM_INT(16));

#define GCM_NAMES(X) \
    X(OBJECT, MP_QSTR_encrypt, encrypt_obj) \
    X(OBJECT, MP_QSTR_decrypt, decrypt_obj) \
    X(OBJECT, MP_QSTR_encrypt_into, encrypt_into_obj) \
    X(OBJECT, MP_QSTR_decrypt_into, decrypt_into_obj) \
    X(STATIC, MP_QSTR_generate_key, gcm_generate_key) \
    X(NUMBERS, MP_QSTR_key_sizes, gcm_key_sizes) \
    X(NUMBER, MP_QSTR_tag_length, 16) \
    X(OBJECT, MP_QSTR_backend, backend) \
    X(OBJECT, MP_QSTR___del__, aes_del_obj)
CLASS(gcm, MP_QSTR_AESGCM, aes_make, GCM_NAMES);

static mp_obj_t aegis_make(const mp_obj_type_t *type, size_t count, size_t named,
                           const mp_obj_t *arguments)
{
    aegis_obj *self;
    bytes key;

    mp_arg_check_num(count, named, 1, 1, false);
    key = sized("key", arguments[0], 16);
    self = new_object(aegis_obj, type);
    memset(&self->key, 0, sizeof self->key);
    check(
        rijn_aegis_key_init(&self->key, RIJN_AEGIS_128L, key.data, key.size, RIJN_MODULE_BACKEND));
    return MP_OBJ_FROM_PTR(self);
}

static mp_obj_t aegis_del(mp_obj_t object)
{
    rijn_aegis_key_wipe(&((aegis_obj *)MP_OBJ_TO_PTR(object))->key);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(aegis_del_obj, aegis_del);

#define AEGIS_NAMES(X) \
    X(OBJECT, MP_QSTR_encrypt, encrypt_obj) \
    X(OBJECT, MP_QSTR_decrypt, decrypt_obj) \
    X(OBJECT, MP_QSTR_encrypt_into, encrypt_into_obj) \
    X(OBJECT, MP_QSTR_decrypt_into, decrypt_into_obj) \
    X(STATIC, MP_QSTR_generate_key, aegis_generate_key) \
    X(NUMBERS, MP_QSTR_key_sizes, aegis_key_sizes) \
    X(NUMBER, MP_QSTR_tag_length, 16) \
    X(OBJECT, MP_QSTR_backend, backend) \
    X(OBJECT, MP_QSTR___del__, aegis_del_obj)
CLASS(aegis, MP_QSTR_AEGIS128L, aegis_make, AEGIS_NAMES);

/* ---- CMAC --------------------------------------------------------------------------------- */

static mp_obj_t cmac_make(const mp_obj_type_t *type, size_t count, size_t named,
                          const mp_obj_t *arguments)
{
    cmac_obj *self;

    mp_arg_check_num(count, named, 1, 1, false);
    self = new_object(cmac_obj, type);
    memset(&self->key, 0, sizeof self->key);
    memset(&self->state, 0, sizeof self->state);
    self->ended = false;
    aes_key(&self->key, arguments[0]);
    check(rijn_cmac_start(&self->state, &self->key));
    return MP_OBJ_FROM_PTR(self);
}

static cmac_obj *cmac_of(mp_obj_t object)
{
    cmac_obj *self = MP_OBJ_TO_PTR(object);

    if (self->ended)
        raise_error(&mp_type_RuntimeError, "the message has ended");
    return self;
}

static mp_obj_t update(mp_obj_t object, mp_obj_t data)
{
    cmac_obj *self = cmac_of(object);
    bytes in = readable("data", data);

    check(rijn_cmac_update(&self->state, in.data, in.size));
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(update_obj, update);

static mp_obj_t finalize(mp_obj_t object)
{
    cmac_obj *self = cmac_of(object);
    uint8_t tag[16];

    self->ended = true;
    check(rijn_cmac_finish(&self->state, tag, sizeof tag));
    return mp_obj_new_bytes(tag, sizeof tag);
}
static MP_DEFINE_CONST_FUN_OBJ_1(finalize_obj, finalize);

static mp_obj_t verify(mp_obj_t object, mp_obj_t value)
{
    cmac_obj *self = cmac_of(object);
    bytes tag = readable("tag", value);

    self->ended = true;
    if (tag.size != 16) {
        rijn_cmac_wipe(&self->state);
        check(RIJN_ERR_TAG);
    }
    check(rijn_cmac_verify(&self->state, tag.data, tag.size));
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(verify_obj, verify);

static mp_obj_t cmac_del(mp_obj_t object)
{
    cmac_obj *self = MP_OBJ_TO_PTR(object);

    rijn_cmac_wipe(&self->state);
    rijn_key_wipe(&self->key);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(cmac_del_obj, cmac_del);

#define CMAC_NAMES(X) \
    X(OBJECT, MP_QSTR_update, update_obj) \
    X(OBJECT, MP_QSTR_finalize, finalize_obj) \
    X(OBJECT, MP_QSTR_verify, verify_obj) \
    X(OBJECT, MP_QSTR_backend, backend) \
    X(OBJECT, MP_QSTR___del__, cmac_del_obj)
CLASS(cmac, MP_QSTR_CMAC, cmac_make, CMAC_NAMES);

/* ---- The module ----------------------------------------------------------------------------- */

static const MP_DEFINE_STR_OBJ(version, RIJN_VERSION);

#define MODULE_NAMES(X) \
    X(CLASS, MP_QSTR_AES, aes) \
    X(CLASS, MP_QSTR_AESGCM, gcm) \
    X(CLASS, MP_QSTR_AEGIS128L, aegis) \
    X(CLASS, MP_QSTR_CMAC, cmac) \
    X(EXCEPTION, MP_QSTR_InvalidTag, InvalidTag) \
    X(OBJECT, MP_QSTR___version__, version) \
    X(OBJECT, MP_QSTR_BACKEND, backend)
MODULE(MP_QSTR_rijn, MODULE_NAMES);
