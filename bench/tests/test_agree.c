/* agree() finds each kind of wrong contender, and accepts the right ones. */
#include <string.h>

#include "agree.h"
#include "check.h"

/* A backend of Rijn, and the fault of a wrong contender that uses it. */
static contender honest;
static enum fault { ALTER_BYTE, ALTER_TAG, DO_NOTHING, REFUSE, KEEP_KEY, ACCEPT_ALL, GARBLE } fault;

static bool wrong_run(void *state, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                      size_t size)
{
    bool ok;

    if (fault == DO_NOTHING)
        return true;
    if (fault == REFUSE)
        return false;
    ok = honest.run(state, nonce, out, in, size);
    if (fault == ALTER_BYTE)
        out[size - 1] ^= 0x80;
    if (fault == ALTER_TAG)
        out[size + TAG - 1] ^= 1;
    return ok;
}

/* Faults that affect only decryption. */
static bool wrong_open(void *state, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                       size_t size)
{
    const bool ok = honest.run(state, nonce, out, in, size);

    if (ok && fault == GARBLE && out[0] == 0)
        out[0] = 1;
    return ok || fault == ACCEPT_ALL;
}

/* Changes a bit of the last message's tag. */
static bool wrong_many(void *state, uint8_t *out, const uint8_t *in, size_t size,
                       const uint16_t *sizes, size_t count)
{
    const bool ok = honest.run_many(state, out, in, size, sizes, count);

    out[count * (size + TAG) - 1] ^= 1;
    return ok;
}

static bool wrong_rekey(void *state, const uint8_t *key)
{
    return fault == KEEP_KEY || honest.rekey(state, key);
}

static void *opened_under_another_key(const contender *self, const algorithm *what,
                                      const uint8_t *key)
{
    uint8_t other[KEY] = {1};
    (void)self, (void)key;
    return honest.open(&honest, what, other);
}

static void *wrong_state(const contender *self, const algorithm *what, const uint8_t *key)
{
    (void)self;
    return honest.open(&honest, what, key);
}

static disagreement examine(const char *name, operation op, size_t size, bool in_place,
                            const contender *list, size_t n)
{
    static runner runners[MAX_CONTENDERS];
    task t = {.operation = op, .size = size, .in_place = in_place, .threads = 1};
    disagreement d;
    track tr;

    snprintf(t.what.name, sizeof t.what.name, "%s", name);
    t.what.key_size = 16;
    t.what.mode = strcmp(name, "aes-128-gcm") == 0 ? GCM : CTR;
    t.what.tagged = t.what.mode == GCM;
    t.what.decrypt = op == DECRYPT;
    track_open(&tr, &t, false, false);
    for (size_t i = 0; i < n; i++)
        CHECK(runner_open(&runners[i], &list[i], &tr));
    d = agree(&tr, runners, n);
    for (size_t i = 0; i < n; i++)
        runner_close(&runners[i], &tr);
    track_close(&tr);
    note("%s %s, %zu bytes", name, operation_names[op], size);
    return d;
}

int main(void)
{
    static contender all[MAX_CONTENDERS];
    contender list[3];
    const struct {
        const char *algorithm, *what;
        operation operation;
        enum fault fault;
    } wrongs[] = {
        {"aes-128-ctr", "gives other ciphertext than the rest", ENCRYPT, ALTER_BYTE},
        {"aes-128-gcm", "gives other ciphertext than the rest", ENCRYPT, ALTER_TAG},
        {"aes-128-gcm", "gives other ciphertext than the rest", ENCRYPT, DO_NOTHING},
        {"aes-128-ctr", "gives other ciphertext than the rest", ENCRYPT, DO_NOTHING},
        {"aes-128-ctr", "gives other ciphertext than the rest", REKEY, KEEP_KEY},
        {"aes-128-gcm", "refused to encrypt", ENCRYPT, REFUSE},
        {"aes-128-gcm", "accepts an altered tag", DECRYPT, ACCEPT_ALL},
        {"aes-128-gcm", "does not decrypt to the plaintext", DECRYPT, GARBLE},
    };

    CHECK(all_contenders(all) > 1);
    honest = all[0];
    for (size_t i = 0; honest.reason[0]; i++)
        honest = all[i];
    list[0] = list[1] = list[2] = honest;
    list[2].name = "wrong";
    list[2].open = wrong_state;

    for (int in_place = 0; in_place < 2; in_place++)
        for (operation op = ENCRYPT; op <= REKEY; op++)
            for (size_t size = op == REKEY ? 0 : 16; size <= 4096;
                 size += op == REKEY ? 8192 : 680) {
                CHECK(!examine("aes-128-gcm", op, size, in_place, list, 3).what);
                CHECK(!examine("aes-128-ctr", op, size, in_place, list, 3).what);
            }

    /* many messages, by one call or by a call for each */
    CHECK(!examine("aes-128-gcm", MANY, 16, false, list, 3).what);
    list[1].run_many = NULL;
    CHECK(!examine("aes-128-gcm", MANY, 33, false, list, 3).what);
    list[1].run_many = honest.run_many;
    list[2].run_many = wrong_many;
    CHECK_TEXT(examine("aes-128-gcm", MANY, 16, false, list, 3).what,
               "gives other ciphertext than the rest for many messages");
    list[2].run_many = honest.run_many;

    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
        for (int in_place = 0; in_place < 2; in_place++) {
            disagreement d;
            fault = wrongs[i].fault;
            list[2].open = fault == KEEP_KEY ? opened_under_another_key : wrong_state;
            list[2].run = wrongs[i].operation == DECRYPT ? wrong_open : wrong_run;
            list[2].rekey = wrong_rekey;
            if (fault == KEEP_KEY)
                list[2].run = honest.run;
            d = examine(wrongs[i].algorithm, wrongs[i].operation,
                        wrongs[i].operation == REKEY ? 0 : 100, in_place, list, 3);
            CHECK(d.what != NULL);
            if (d.what) {
                CHECK_TEXT(d.what, wrongs[i].what);
                CHECK_TEXT(d.who, "wrong");
            }
        }
    return test_result("test_agree");
}
