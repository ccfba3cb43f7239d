/* The module `rijn` of MicroPython over librijn: what rijn.py has, with its names and its errors.
 *
 * No method that writes into a buffer allocates. Keys are wiped when the collector frees their
 * objects. Methods take any buffer of bytes; str is none. */
#include <string.h>

#include "py/objstr.h"
#include "py/runtime.h"
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

MP_DEFINE_EXCEPTION(InvalidTag, Exception)

/* ---- Arguments -------------------------------------------------------------------------- */

static bytes readable(const char *name, mp_obj_t value)
{
    mp_buffer_info_t found;

    if (mp_obj_is_str(value) || !mp_get_buffer(value, &found, MP_BUFFER_READ))
        mp_raise_msg_varg(&mp_type_TypeError,
                          MP_ERROR_TEXT("%s must be bytes, bytearray or memoryview of bytes"),
                          name);
    return (bytes){found.buf, found.len};
}

static bytes sized(const char *name, mp_obj_t value, size_t size)
{
    bytes found = readable(name, value);

    if (found.size != size)
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("%s must be %u bytes, not %u"), name,
                          (unsigned)size, (unsigned)found.size);
    return found;
}

static bytes whole_blocks(mp_obj_t value)
{
    bytes found = readable("data", value);

    if (found.size % 16)
        mp_raise_msg_varg(&mp_type_ValueError,
                          MP_ERROR_TEXT("data must be a multiple of 16 bytes, not %u"),
                          (unsigned)found.size);
    return found;
}

static uint8_t *output(mp_obj_t value, size_t size)
{
    mp_buffer_info_t found;

    if (mp_obj_is_str(value) || !mp_get_buffer(value, &found, MP_BUFFER_WRITE))
        mp_raise_msg(&mp_type_TypeError, MP_ERROR_TEXT("buf must be writable"));
    if (found.len != size)
        mp_raise_msg_varg(&mp_type_ValueError,
                          MP_ERROR_TEXT("buf must be exactly %u bytes, not %u"), (unsigned)size,
                          (unsigned)found.len);
    return found.buf;
}

static void check(rijn_status status)
{
    if (status == RIJN_OK)
        return;
    if (status == RIJN_ERR_TAG)
        mp_raise_msg(&mp_type_InvalidTag, MP_ERROR_TEXT("authentication failed"));
    if (status == RIJN_ERR_OVERLAP)
        mp_raise_ValueError(MP_ERROR_TEXT("arguments overlap"));
    mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("%s"), rijn_status_text(status));
}

/* The 16 bytes of an iv or a counter, which the library does not look for in `out`. */
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
        mp_raise_msg_varg(&mp_type_ValueError,
                          MP_ERROR_TEXT("key must be 16 or 24 or 32 bytes, not %u"),
                          (unsigned)found.size);
    check(rijn_key_init(key, found.data, found.size, RIJN_MODULE_BACKEND));
}

/* A fresh result: a bytes object, which a failure leaves to the collector. */
typedef struct {
    vstr_t text;
    uint8_t *data;
} fresh;

static fresh room(size_t size)
{
    fresh made;

    vstr_init_len(&made.text, size);
    made.data = (uint8_t *)made.text.buf;
    return made;
}

static mp_obj_t result(fresh *made)
{
    return mp_obj_new_bytes_from_vstr(&made->text);
}

/* ---- AES -------------------------------------------------------------------------------- */

static mp_obj_t aes_make(const mp_obj_type_t *type, size_t count, size_t named,
                         const mp_obj_t *arguments)
{
    aes_obj *self;

    mp_arg_check_num(count, named, 1, 1, false);
    self = mp_obj_malloc_with_finaliser(aes_obj, type);
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
    fresh made = room(in.size);

    check(crypt(KEY(self), made.data, in.data, in.size));
    return result(&made);
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
    fresh made = room(in.size);

    cbc_to(crypt, self, iv, made.data, in);
    return result(&made);
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
    fresh made = room(in.size);

    ctr_to(self, counter, made.data, in);
    return result(&made);
}
static MP_DEFINE_CONST_FUN_OBJ_3(ctr_obj, ctr);

#define NAMED(name) MP_ROM_QSTR(MP_QSTR_##name)
#define METHOD(name) \
    { \
        NAMED(name), MP_ROM_PTR(&name##_obj) \
    }

static MP_DEFINE_STR_OBJ(backend, RIJN_MODULE_BACKEND);

static const mp_rom_map_elem_t aes_names[] = {
    METHOD(ecb_encrypt),
    METHOD(ecb_decrypt),
    METHOD(ecb_encrypt_into),
    METHOD(ecb_decrypt_into),
    METHOD(cbc_encrypt),
    METHOD(cbc_decrypt),
    METHOD(cbc_encrypt_into),
    METHOD(cbc_decrypt_into),
    {NAMED(ctr_encrypt), MP_ROM_PTR(&ctr_obj)},
    {NAMED(ctr_decrypt), MP_ROM_PTR(&ctr_obj)},
    {NAMED(ctr_encrypt_into), MP_ROM_PTR(&ctr_into_obj)},
    {NAMED(ctr_decrypt_into), MP_ROM_PTR(&ctr_into_obj)},
    {NAMED(backend), MP_ROM_PTR(&backend)},
    {NAMED(__del__), MP_ROM_PTR(&aes_del_obj)},
};
static MP_DEFINE_CONST_DICT(aes_dict, aes_names);
static MP_DEFINE_CONST_OBJ_TYPE(aes_type, MP_QSTR_AES, MP_TYPE_FLAG_NONE, make_new, aes_make,
                                locals_dict, &aes_dict);

/* ---- AESGCM and AEGIS128L ----------------------------------------------------------------- */

static const mp_obj_type_t gcm_type, aegis_type;

/* One message, checked: out, tag, in, nonce and associated data are where they should be. */
static rijn_status seal(mp_obj_t self, uint8_t *out, bytes nonce, bytes ad, bytes in)
{
    if (mp_obj_is_type(self, &gcm_type))
        return rijn_gcm_seal(KEY(self), out, out + in.size, 16, nonce.data, nonce.size, ad.data,
                             ad.size, in.data, in.size);
    return rijn_aegis_seal(&((const aegis_obj *)MP_OBJ_TO_PTR(self))->key, out, out + in.size, 16,
                           nonce.data, nonce.size, ad.data, ad.size, in.data, in.size);
}

static rijn_status opened(mp_obj_t self, uint8_t *out, bytes nonce, bytes ad, bytes in)
{
    const uint8_t *tag = in.data + in.size;

    if (mp_obj_is_type(self, &gcm_type))
        return rijn_gcm_open(KEY(self), out, tag, 16, nonce.data, nonce.size, ad.data, ad.size,
                             in.data, in.size);
    return rijn_aegis_open(&((const aegis_obj *)MP_OBJ_TO_PTR(self))->key, out, tag, 16, nonce.data,
                           nonce.size, ad.data, ad.size, in.data, in.size);
}

static bytes nonce_of(mp_obj_t self, mp_obj_t value)
{
    bytes nonce;

    if (!mp_obj_is_type(self, &gcm_type))
        return sized("nonce", value, 16);
    nonce = readable("nonce", value);
    if (!nonce.size)
        mp_raise_ValueError(MP_ERROR_TEXT("nonce must not be empty"));
    return nonce;
}

static bytes extra_of(mp_obj_t value)
{
    return value == mp_const_none ? (bytes){NULL, 0} : readable("associated_data", value);
}

/* The ciphertext of `data`, whose tag stands behind it. */
static bytes ciphertext(mp_obj_t data)
{
    bytes in = readable("data", data);

    if (in.size < 16)
        check(RIJN_ERR_TAG);
    in.size -= 16;
    return in;
}

static mp_obj_t encrypt(size_t count, const mp_obj_t *a)
{
    bytes in = readable("data", a[2]), nonce = nonce_of(a[0], a[1]);
    bytes ad = extra_of(count > 3 ? a[3] : mp_const_none);
    fresh made = room(in.size + 16);

    check(seal(a[0], made.data, nonce, ad, in));
    return result(&made);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(encrypt_obj, 3, 4, encrypt);

static mp_obj_t decrypt(size_t count, const mp_obj_t *a)
{
    bytes in = ciphertext(a[2]), nonce = nonce_of(a[0], a[1]);
    bytes ad = extra_of(count > 3 ? a[3] : mp_const_none);
    fresh made = room(in.size);

    check(opened(a[0], made.data, nonce, ad, in));
    return result(&made);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(decrypt_obj, 3, 4, decrypt);

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
    check(opened(a[0], output(a[4], in.size), nonce, ad, in));
    return MP_OBJ_NEW_SMALL_INT(in.size);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(decrypt_into_obj, 5, 5, decrypt_into);

/* A fresh key of the port's os.urandom. */
static mp_obj_t drawn(mp_int_t bits)
{
    mp_obj_t os = mp_import_name(MP_QSTR_os, mp_const_none, MP_OBJ_NEW_SMALL_INT(0));

    return mp_call_function_1(mp_load_attr(os, MP_QSTR_urandom), MP_OBJ_NEW_SMALL_INT(bits / 8));
}

static mp_obj_t gcm_generate_key(size_t count, const mp_obj_t *arguments)
{
    mp_int_t bits = count ? mp_obj_get_int(arguments[0]) : 128;

    if (bits != 128 && bits != 192 && bits != 256)
        mp_raise_msg_varg(&mp_type_ValueError,
                          MP_ERROR_TEXT("bit_length must be 128 or 192 or 256, not %d"), (int)bits);
    return drawn(bits);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(gcm_generate_key_fun, 0, 1, gcm_generate_key);
static MP_DEFINE_CONST_STATICMETHOD_OBJ(gcm_generate_key_obj, MP_ROM_PTR(&gcm_generate_key_fun));

static mp_obj_t aegis_generate_key(size_t count, const mp_obj_t *arguments)
{
    mp_int_t bits = count ? mp_obj_get_int(arguments[0]) : 128;

    if (bits != 128)
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("bit_length must be 128, not %d"),
                          (int)bits);
    return drawn(bits);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(aegis_generate_key_fun, 0, 1, aegis_generate_key);
static MP_DEFINE_CONST_STATICMETHOD_OBJ(aegis_generate_key_obj,
                                        MP_ROM_PTR(&aegis_generate_key_fun));

static const mp_rom_map_elem_t gcm_names[] = {
    METHOD(encrypt),
    METHOD(decrypt),
    METHOD(encrypt_into),
    METHOD(decrypt_into),
    {NAMED(generate_key), MP_ROM_PTR(&gcm_generate_key_obj)},
    {NAMED(tag_length), MP_ROM_INT(16)},
    {NAMED(backend), MP_ROM_PTR(&backend)},
    {NAMED(__del__), MP_ROM_PTR(&aes_del_obj)},
};
static MP_DEFINE_CONST_DICT(gcm_dict, gcm_names);
static MP_DEFINE_CONST_OBJ_TYPE(gcm_type, MP_QSTR_AESGCM, MP_TYPE_FLAG_NONE, make_new, aes_make,
                                locals_dict, &gcm_dict);

static mp_obj_t aegis_make(const mp_obj_type_t *type, size_t count, size_t named,
                           const mp_obj_t *arguments)
{
    aegis_obj *self;
    bytes key;

    mp_arg_check_num(count, named, 1, 1, false);
    key = sized("key", arguments[0], 16);
    self = mp_obj_malloc_with_finaliser(aegis_obj, type);
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

static const mp_rom_map_elem_t aegis_names[] = {
    METHOD(encrypt),
    METHOD(decrypt),
    METHOD(encrypt_into),
    METHOD(decrypt_into),
    {NAMED(generate_key), MP_ROM_PTR(&aegis_generate_key_obj)},
    {NAMED(tag_length), MP_ROM_INT(16)},
    {NAMED(backend), MP_ROM_PTR(&backend)},
    {NAMED(__del__), MP_ROM_PTR(&aegis_del_obj)},
};
static MP_DEFINE_CONST_DICT(aegis_dict, aegis_names);
static MP_DEFINE_CONST_OBJ_TYPE(aegis_type, MP_QSTR_AEGIS128L, MP_TYPE_FLAG_NONE, make_new,
                                aegis_make, locals_dict, &aegis_dict);

/* ---- CMAC --------------------------------------------------------------------------------- */

static mp_obj_t cmac_make(const mp_obj_type_t *type, size_t count, size_t named,
                          const mp_obj_t *arguments)
{
    cmac_obj *self;

    mp_arg_check_num(count, named, 1, 1, false);
    self = mp_obj_malloc_with_finaliser(cmac_obj, type);
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
        mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("the message has ended"));
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

static const mp_rom_map_elem_t cmac_names[] = {
    METHOD(update),
    METHOD(finalize),
    METHOD(verify),
    {NAMED(backend), MP_ROM_PTR(&backend)},
    {NAMED(__del__), MP_ROM_PTR(&cmac_del_obj)},
};
static MP_DEFINE_CONST_DICT(cmac_dict, cmac_names);
static MP_DEFINE_CONST_OBJ_TYPE(cmac_type, MP_QSTR_CMAC, MP_TYPE_FLAG_NONE, make_new, cmac_make,
                                locals_dict, &cmac_dict);

/* ---- The module ----------------------------------------------------------------------------- */

static const mp_rom_map_elem_t names[] = {
    {NAMED(__name__), NAMED(rijn)},         {NAMED(AES), MP_ROM_PTR(&aes_type)},
    {NAMED(AESGCM), MP_ROM_PTR(&gcm_type)}, {NAMED(AEGIS128L), MP_ROM_PTR(&aegis_type)},
    {NAMED(CMAC), MP_ROM_PTR(&cmac_type)},  {NAMED(InvalidTag), MP_ROM_PTR(&mp_type_InvalidTag)},
    {NAMED(BACKEND), MP_ROM_PTR(&backend)},
};
static MP_DEFINE_CONST_DICT(names_dict, names);

const mp_obj_module_t rijn_module = {
    .base = {&mp_type_module},
    .globals = (mp_obj_dict_t *)&names_dict,
};
MP_REGISTER_MODULE(MP_QSTR_rijn, rijn_module);
