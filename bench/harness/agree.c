#include "agree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AGREE_MANY = 133 }; /* compared messages of MANY */

void fill(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 13);
}

static bool is_filled(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != (uint8_t)(i * 2654435761u >> 13))
            return false;
    return true;
}

/* Returns a 64-bit hash of a message: FNV-1a by 8 bytes, with a fold. It finds accidents, not
 * attacks, and avoids keeping all outputs of 16 MiB. */
static uint64_t digest(const uint8_t *bytes, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u ^ size;

    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

/* Encrypts the plaintext into l->out, after a change to another key and back. */
static bool encrypt(const track *tr, const runner *r, const task *t, const lane *l)
{
    uint8_t *in = t->in_place ? l->out : l->in, other[KEY];
    algorithm what = t->what;
    void *state;
    bool ok;

    what.decrypt = false;
    state = r->by->open(r->by, &what, tr->key);
    if (!state)
        return false;
    for (size_t i = 0; i < sizeof other; i++)
        other[i] = (uint8_t)(0xa5 + i); /* XTS needs two different keys */
    memset(l->out, 0, t->size + TAG); /* the result of the previous contender must not remain */
    fill(in, t->size);
    ok = r->by->rekey(state, other) && r->by->rekey(state, tr->key) &&
         r->by->run(state, tr->nonce, l->out, in, t->size);
    r->by->close(state);
    return ok;
}

/* Seals AGREE_MANY messages, by one call if the contender has one. */
static bool encrypt_many(const runner *r, const task *t, uint8_t *out, const uint8_t *in)
{
    const size_t size = t->size;
    uint8_t nonce[NONCE] = {0};

    if (r->by->run_many)
        return r->by->run_many(r->states[0], out, in, size, NULL, AGREE_MANY);
    for (size_t i = 0; i < AGREE_MANY; i++, in += size, out += size + TAG) {
        many_nonce(nonce, nonce_size(&t->what), i);
        if (!r->by->run(r->states[0], nonce, out, in, size))
            return false;
    }
    return true;
}

/* Opens l->in into l->out, in place if the task is. */
static bool decrypt(const track *tr, const runner *r, const task *t, const lane *l)
{
    uint8_t *in = t->in_place ? l->out : l->in;

    memcpy(l->out, l->in, t->size + TAG);
    return r->by->rekey(r->states[0], tr->key) &&
           r->by->run(r->states[0], tr->nonce, l->out, in, t->size);
}

/* Returns the runner whose digest the fewest share, or the last of these; NULL if all agree. */
static const runner *odd_one(const runner *runners, const uint64_t *digests, size_t n)
{
    const runner *odd = NULL;
    size_t fewest = n;

    for (size_t i = 0; i < n; i++) {
        size_t share = 0;
        for (size_t j = 0; j < n; j++)
            share += digests[j] == digests[i];
        if (share < n && share <= fewest) {
            fewest = share;
            odd = &runners[i];
        }
    }
    return odd;
}

disagreement agree(const track *tr, const runner *runners, size_t n)
{
    const lane *l = &tr->lanes[0];
    task checked = tr->task;
    const task *t = &checked;
    uint64_t digests[MAX_CONTENDERS];
    if (checked.operation == REKEY)
        checked.size = REKEY_CHECK;
    const size_t written =
        t->what.mode == CMAC ? TAG : t->size + (t->what.tagged ? TAG : 0);
    const runner *odd;

    if (n == 0)
        return (disagreement){NULL, NULL};
    for (size_t i = 0; i < n; i++) {
        if (!encrypt(tr, &runners[i], t, l))
            return (disagreement){"refused to encrypt", runners[i].by->name};
        digests[i] = digest(l->out, written);
    }
    odd = odd_one(runners, digests, n);
    if (odd)
        return (disagreement){"gives other ciphertext than the rest", odd->by->name};
    for (size_t i = 0; t->operation == MANY && i < n; i++) {
        memset(l->out, 0, AGREE_MANY * (t->size + TAG));
        fill(l->in, AGREE_MANY * t->size);
        if (!encrypt_many(&runners[i], t, l->out, l->in))
            return (disagreement){"refused to encrypt many", runners[i].by->name};
        digests[i] = digest(l->out, AGREE_MANY * (t->size + TAG));
    }
    odd = t->operation == MANY ? odd_one(runners, digests, n) : NULL;
    if (odd)
        return (disagreement){"gives other ciphertext than the rest for many messages", odd->by->name};
    if (t->operation != DECRYPT) {
        fill(l->in, t->size);
        return (disagreement){NULL, NULL};
    }

    memcpy(l->in, l->out, t->size + TAG);
    for (size_t i = 0; i < n; i++) {
        if (!decrypt(tr, &runners[i], t, l))
            return (disagreement){"refused to decrypt", runners[i].by->name};
        if (!is_filled(l->out, t->size))
            return (disagreement){"does not decrypt to the plaintext", runners[i].by->name};
        if (t->what.tagged) {
            bool accepted;
            l->in[t->size + TAG - 1] ^= 1;
            accepted = decrypt(tr, &runners[i], t, l);
            l->in[t->size + TAG - 1] ^= 1;
            if (accepted)
                return (disagreement){"accepts an altered tag", runners[i].by->name};
        }
    }
    for (int i = 0; i < t->threads; i++) {
        memmove(tr->lanes[i].in, l->in, t->size + TAG);
        memcpy(tr->lanes[i].out, l->in, t->size + TAG);
    }
    return (disagreement){NULL, NULL};
}
