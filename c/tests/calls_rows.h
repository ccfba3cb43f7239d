/* Macros for the rows of the table of calls (calls.c). */
#ifndef CALLS_ROWS_H
#define CALLS_ROWS_H

#define LIST(...) \
    { \
        __VA_ARGS__ \
    }
#define ROW(title, its_family, function, preparation, ...) \
    { \
        .name = "rijn_" title, .family = its_family, .run = function, .before = preparation, \
        __VA_ARGS__ \
    }
#define GONE(object) .wiped = &(object), .wiped_size = sizeof(object)
#define REFUSED .want = RIJN_ERR_TAG

/* A call whose only preparation is the key. */
#define AES_ROW(function, its_family, ...) \
    ROW(#function, its_family, function, LIST(key_init), __VA_ARGS__)

/* A whole message, sealed, opened and refused. */
#define AEAD_ROWS(mode, its_family, ...) \
    ROW(#mode "_seal", its_family, mode##_seal, LIST(key_init), __VA_ARGS__), \
        ROW(#mode "_open", its_family, mode##_open, LIST(key_init, mode##_seal, keep), \
            __VA_ARGS__), \
        ROW(#mode "_open, refused", its_family, mode##_refuse, LIST(key_init, mode##_seal, keep), \
            REFUSED, .flags = REFUSES, __VA_ARGS__)

/* A run of chunks. */
#define CHUNK_ROWS(mode, its_family, init, ...) \
    ROW(#mode "_seal_chunks", its_family, mode##_seal_chunks, LIST(init), __VA_ARGS__), \
        ROW(#mode "_open_chunks", its_family, mode##_open_chunks, \
            LIST(init, mode##_seal_chunks, keep), __VA_ARGS__), \
        ROW(#mode "_open_chunks, refused", its_family, mode##_open_chunks, \
            LIST(init, mode##_seal_chunks, keep, spoil_last_chunk), REFUSED, .flags = REFUSES, \
            __VA_ARGS__), \
        ROW(#mode "_open_chunks, the first refused", its_family, mode##_first_forged, \
            LIST(init, mode##_seal_chunks, keep, spoil_first_chunk), REFUSED, .flags = REFUSES, \
            __VA_ARGS__)

/* A message in pieces. */
#define PIECE_ROWS(mode, its_family, init, start_flags, ad_flags, ...) \
    ROW(#mode "_start", its_family, mode##_start, LIST(init), .flags = start_flags, __VA_ARGS__), \
        ROW(#mode "_ad", its_family, mode##_ad, LIST(init, mode##_start), .flags = ad_flags, \
            __VA_ARGS__), \
        ROW(#mode "_ad, twice", its_family, mode##_ad_twice, LIST(init, mode##_start), \
            .flags = SEVERAL | (ad_flags), __VA_ARGS__), \
        ROW(#mode "_encrypt", its_family, mode##_encrypt, LIST(init, mode##_start, mode##_ad), \
            __VA_ARGS__), \
        ROW(#mode "_encrypt, in pieces", its_family, mode##_encrypt_pieces, \
            LIST(init, mode##_start, mode##_ad_twice), .flags = SEVERAL, __VA_ARGS__), \
        ROW(#mode "_decrypt", its_family, mode##_decrypt, \
            LIST(init, mode##_encrypt_all, mode##_start, mode##_ad), __VA_ARGS__), \
        ROW(#mode "_decrypt, in pieces", its_family, mode##_decrypt_pieces, \
            LIST(init, mode##_encrypt_all, mode##_start, mode##_ad_twice), .flags = SEVERAL, \
            __VA_ARGS__), \
        ROW(#mode "_finish", its_family, mode##_finish, \
            LIST(init, mode##_start, mode##_ad, mode##_encrypt), GONE(mode), __VA_ARGS__), \
        ROW(#mode "_verify", its_family, mode##_verify, \
            LIST(init, mode##_encrypt_all, mode##_start, mode##_ad, mode##_decrypt), GONE(mode), \
            __VA_ARGS__), \
        ROW(#mode "_verify, refused", its_family, mode##_reject, \
            LIST(init, mode##_encrypt_all, mode##_start, mode##_ad, mode##_decrypt), REFUSED, \
            GONE(mode), __VA_ARGS__), \
        ROW(#mode "_wipe", its_family, mode##_wipe, \
            LIST(init, mode##_start, mode##_ad, mode##_encrypt), .flags = PLAIN, GONE(mode), \
            __VA_ARGS__)

/* Many messages: sealed and opened. AEAD rows also have one forged message, which is refused. */
#define MANY_ROWS(title, its_mode, its_family, init, its_flags, ...) \
    ROW("seal_many, " title, its_family, seal_many, LIST(init), .mode = RIJN_MANY_##its_mode, \
        .flags = MANY | (its_flags), __VA_ARGS__), \
        ROW("open_many, " title, its_family, open_many, LIST(init, seal_many, keep), \
            .mode = RIJN_MANY_##its_mode, .flags = MANY | (its_flags), __VA_ARGS__)
#define MANY_AEAD_ROWS(title, its_mode, its_family, init, its_flags, ...) \
    MANY_ROWS(title, its_mode, its_family, init, its_flags, __VA_ARGS__), \
        ROW("open_many, refused, " title, its_family, open_many, \
            LIST(init, seal_many, keep, spoil_message), .mode = RIJN_MANY_##its_mode, \
            .flags = MANY | (its_flags), REFUSED, __VA_ARGS__)

#define AES_KEYS .keys = LIST(16, 24, 32)

#define AEGIS_ROW(title, function, preparation, ...) \
    ROW("aegis_" title, OF_AEGIS, function, preparation, __VA_ARGS__)

/* Here the variant decides the sizes of keys and nonces instead. */
#define AEGIS_KEYS .keys = LIST(16)

#endif
