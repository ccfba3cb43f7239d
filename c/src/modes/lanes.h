/* Runs the chains of several messages side by side: CBC encryption (SP 800-38A section 6.2) and
 * CBC-MAC. A chain waits for each of its blocks, so up to eight chains run in lanes. A lane whose
 * message has ended takes the next message. When no message is left, there are fewer lanes. */

enum { CHAINS = 8 };

/* Unrolls a loop over lanes. With CIPHER_APART it stays a loop, and one function serves any number
 * of lanes. */
#ifdef CIPHER_APART
#define EVERY_LANE
#else
#define EVERY_LANE RIJN_UNROLL
#endif

/* Processes `steps` blocks of each of the chains lanes[0..n). */
BOTH_WAYS void chain_steps(const context *c, rijn_chain *const *lanes, int n, size_t steps)
{
    const uint8_t *in[CHAINS];
    uint8_t *out[CHAINS];
    block x[CHAINS];

    EVERY_LANE
    for (int i = 0; i < n; i++) {
        in[i] = lanes[i]->in;
        out[i] = lanes[i]->out;
        x[i] = block_whiten(c, block_load(lanes[i]->chain));
    }
    for (; steps; steps--) {
        EVERY_LANE
        for (int i = 0; i < n; i++) {
            x[i] = block_xor(x[i], block_load(in[i]));
            in[i] += 16;
        }
        blocks_rounds(c, x, n, false);
        EVERY_LANE
        for (int i = 0; i < n; i++) {
            x[i] = block_end(x[i], block_mask(c, block_pair(0, 0), false), false);
            if (out[i]) {
                block_store(out[i], x[i]);
                out[i] += 16;
            }
            x[i] = block_whiten(c, x[i]);
        }
    }
    EVERY_LANE
    for (int i = 0; i < n; i++) {
        lanes[i]->in = in[i];
        lanes[i]->out = out[i];
        block_store(lanes[i]->chain, block_whiten(c, x[i]));
    }
}

#undef EVERY_LANE

RIJN_OPERATION void chains(const void *c, rijn_chain *chain, size_t count)
{
    rijn_chain *lanes[CHAINS];
    size_t next = 0;
    int n = 0;

    for (;;) {
        while (n < CHAINS && next < count) {
            if (chain[next].blocks)
                lanes[n++] = &chain[next];
            next++;
        }
        if (!n)
            return;
        const int running = n == CHAINS ? CHAINS : n >= 4 ? 4 : n >= 2 ? 2 : 1;
        size_t steps = lanes[0]->blocks;
        /* Clang would use gather instructions, and tests/ct/steps.c reports every gather. It does
         * not see that their addresses depend only on pointers, which are public. */
#if defined(__clang__)
#pragma clang loop vectorize(disable)
#endif
        for (int i = 1; i < running; i++)
            steps = lanes[i]->blocks < steps ? lanes[i]->blocks : steps;
        if (running == CHAINS)
            chain_steps(c, lanes, CHAINS, steps);
        else if (running == 4)
            chain_steps(c, lanes, 4, steps);
        else if (running == 2)
            chain_steps(c, lanes, 2, steps);
        else
            chain_steps(c, lanes, 1, steps);
        int left = 0;
        for (int i = 0; i < n; i++) {
            if (i < running)
                lanes[i]->blocks -= steps;
            if (lanes[i]->blocks)
                lanes[left++] = lanes[i];
        }
        n = left;
    }
}
