/* Counter-based random numbers after docs/randomness.md: Philox4x32-10, bounded whole numbers by rejection,
   doubles of 53 bits. Independent of the Python package; only that page is shared. */
#ifndef PHILOX_H
#define PHILOX_H

#include <stdint.h>

enum { STREAM_DICE, STREAM_SETUP, STREAM_DECK, STREAM_START, STREAM_POLICY, STREAM_PLACEMENT };

/* One stream of one game, with the block that was used last: neighbouring words cost one block together. */
typedef struct {
    uint32_t key[2];
    uint32_t game[2];
    uint32_t where;  /* stream + 256 x seat */
    uint32_t block;  /* number of the block in `words`; NO_BLOCK: none yet */
    uint32_t words[4];
} Stream;

#define NO_BLOCK UINT32_MAX

static inline void philox(uint32_t out[4], uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0, uint32_t k1)
{
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

static inline Stream stream_open(uint64_t seed, uint64_t game, int stream, int seat)
{
    Stream s = {{(uint32_t)seed, (uint32_t)(seed >> 32)}, {(uint32_t)game, (uint32_t)(game >> 32)},
                (uint32_t)(stream + 256 * seat), NO_BLOCK, {0}};
    return s;
}

/* The block with the word `index`. */
static inline const uint32_t *stream_block(Stream *s, uint32_t index)
{
    uint32_t block = index / 4;
    if (block != s->block) {
        philox(s->words, block, s->game[0], s->game[1], s->where, s->key[0], s->key[1]);
        s->block = block;
    }
    return s->words;
}

static inline uint32_t stream_word(Stream *s, uint32_t index)
{
    return stream_block(s, index)[index % 4];
}

/* A whole number from 0 to n - 1, every one equally likely. */
static inline int stream_bounded(Stream *s, uint32_t index, uint32_t n)
{
    uint64_t m = (uint64_t)stream_word(s, index) * n;
    if ((uint32_t)m < n) {                          /* only then can the word be refused */
        uint32_t least = (uint32_t)(-n) % n;        /* 2^32 mod n */
        for (uint32_t attempt = 1; (uint32_t)m < least; attempt++) {
            uint32_t words[4];
            philox(words, index / 4 + (attempt << 24), s->game[0], s->game[1], s->where, s->key[0], s->key[1]);
            m = (uint64_t)words[index % 4] * n;
        }
    }
    return (int)(m >> 32);
}

/* A double in [0, 1) with 53 random bits. */
static inline double stream_uniform(Stream *s, uint32_t index)
{
    const uint32_t *words = stream_block(s, 2 * index) + 2 * index % 4;
    uint32_t a = words[0], b = words[1];
    return ((double)(a >> 5) * 67108864.0 + (double)(b >> 6)) / 9007199254740992.0;
}

/* Which of n equally likely options a uniform number picks. */
static inline int pick(double u, int n)
{
    int i = (int)(u * n);
    return i < n ? i : n - 1;
}

#endif
