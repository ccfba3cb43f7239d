/* Many messages in one call, for every object that has a key (many.c). */
#ifndef RIJN_BINDING_MANY_H
#define RIJN_BINDING_MANY_H

#include "binding.h"

/* The key and algorithm of the messages. */
typedef struct {
    rijn_many many; /* mode, keys, tag_size */
    nonce_sizes nonces;
    size_t nonce_usual; /* of each nonce in one buffer; 0 if any size is allowed */
    uint64_t data_max;  /* 0 for CCM, where the nonce size decides, and for no limit */
} many_subject;

/* encrypt_many and decrypt_many of rijn.aead, with the arguments of a fast call. */
PyObject *many_messages(const many_subject *subject, bool opening, PyObject *const *args,
                        Py_ssize_t given, PyObject *keywords);

#define MANY_ROWS(encrypt_many, decrypt_many) \
    METHOD_ROW("encrypt_many", encrypt_many, \
               "encrypt_many($self, data, *, nonces=None, first_nonce=None,\n" \
               "             associated_data=None, prepend_nonce=False, threads=1)\n--\n\n"), \
        METHOD_ROW("decrypt_many", decrypt_many, \
                   "decrypt_many($self, data, *, nonces=None, first_nonce=None,\n" \
                   "             associated_data=None, failed=None, threads=1)\n--\n\n")

#endif
