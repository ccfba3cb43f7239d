/* AES and its modes, written from the text of the standards, one byte and one bit at a time. Shares no
 * line with src/, so agreement of both is evidence. Slow, and not constant time. */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called, unless NULL, with every value that an oracle computes: keys and round keys of both
 * directions, inputs and outputs of the cipher, hash keys and hashes, doubled blocks, offsets, blocks
 * of AEGIS states, and keystream. Some do not depend on the key, such as a first counter block. */
extern void (*oracle_watch)(const uint8_t *bytes, size_t size);

/* Calls oracle_watch. */
void oracle_show(const uint8_t *bytes, size_t size);

typedef struct oracle_key {
    uint8_t round_keys[15][16];
    int rounds;
} oracle_key;

void oracle_init(oracle_key *key, const uint8_t *bytes, size_t size);

/* FIPS 197 sections 5.1 and 5.3; `out` may be `in`. */
void oracle_encrypt(const oracle_key *key, uint8_t out[16], const uint8_t in[16]);
void oracle_decrypt(const oracle_key *key, uint8_t out[16], const uint8_t in[16]);

/* One round of the cipher (section 5.1), AESRound of AEGIS; `out` may be either input. */
void oracle_round(uint8_t out[16], const uint8_t in[16], const uint8_t round_key[16]);

/* SP 800-38A; out and in are disjoint. */
void oracle_ecb(const oracle_key *key, bool decrypt, uint8_t *out, const uint8_t *in, size_t size);
void oracle_cbc(const oracle_key *key, bool decrypt, const uint8_t iv[16], uint8_t *out,
                const uint8_t *in, size_t size);
void oracle_ctr(const oracle_key *key, const uint8_t counter[16], uint8_t *out, const uint8_t *in,
                size_t size);

/* SP 800-38D sections 7.1 and 7.2, without the comparison of tags. */
void oracle_gcm(const oracle_key *key, bool decrypt, uint8_t *out, uint8_t tag[16],
                const uint8_t *nonce, size_t nonce_size, const uint8_t *ad, size_t ad_size,
                const uint8_t *in, size_t size);

/* Changes the tag of a message with sizes[0] bytes of associated data and sizes[1] bytes of data into
 * the tag for the sizes `claimed` in its last block. */
void oracle_gcm_resize(const oracle_key *key, uint8_t tag[16], const uint64_t sizes[2],
                       const uint64_t claimed[2]);

/* Shows the first `count` powers of the hash key H = E(K, 0). */
void oracle_show_powers(const oracle_key *key, int count);

/* Computes the 16-byte nonce whose pre-counter block J0 is `j0`, by inverting GHASH. Tests choose GCM's
 * 32-bit counter this way. */
void oracle_nonce_for(const oracle_key *key, uint8_t nonce[16], const uint8_t j0[16]);

#endif
