/* Karolinchen (dice race): every rule parameter, the policies `random`, `longest`, `shortest` and `match`. */

#include <stdbool.h>
#include <string.h>

#include "philox.h"

enum { COLOURS = 6, MOST_SEATS = 6 };
enum { OPEN, OWN_ROLL };
enum { RANDOM, LONGEST, SHORTEST, MATCH };

/* The caller passes these 16 numbers in this order. Whether new dice must or may be taken makes no difference here:
   all four policies always take. */
typedef struct {
    int opening, new_card_take, reroll_after_eating, max_turns;
    int fruits[COLOURS];
    int start[MOST_SEATS]; /* a colour per seat; start[0] < 0: drawn without replacement */
} Rules;

typedef struct {
    bool left[COLOURS]; /* cards not yet laid out */
    int start, card;    /* current card */
    int open;           /* free places on it */
    int covered, finished;
    Stream decisions;
} Player;

typedef struct {
    int count[COLOURS];
    int dice;
} Middle;

static void roll(Middle *middle, Stream *stream, int turn, int k)
{
    int x = stream_bounded(stream, (uint32_t)(2 * turn + k), 46656);
    memset(middle->count, 0, sizeof middle->count);
    int colour[6] = {x % 6, x / 6 % 6, x / 36 % 6, x / 216 % 6, x / 1296 % 6, x / 7776};
    for (int d = 0; d < middle->dice; d++)
        middle->count[colour[d]]++;
}

static int next_card(const Rules *rules, Player *p, const Middle *middle, int policy)
{
    int cards[COLOURS], n = 0, best = 0;
    for (int c = 0; c < COLOURS; c++)
        if (p->left[c])
            cards[n++] = c;
    if (policy == RANDOM)
        return cards[pick(stream_uniform(&p->decisions, (uint32_t)(2 * p->finished)), n)];
    for (int i = 1; i < n; i++) {
        int fruits = rules->fruits[cards[i]], best_fruits = rules->fruits[cards[best]];
        bool better;
        if (policy == LONGEST) {
            better = fruits > best_fruits;
        } else if (policy == SHORTEST) {
            better = fruits < best_fruits;
        } else {
            int takes = middle->count[cards[i]], best_takes = middle->count[cards[best]];
            if (takes > fruits)
                takes = fruits;
            if (best_takes > best_fruits)
                best_takes = best_fruits;
            better = takes > best_takes || (takes == best_takes && fruits > best_fruits);
        }
        if (better)
            best = i;
    }
    return cards[best];
}

static void lay_out(const Rules *rules, Player *p, int card)
{
    p->left[card] = false;
    p->card = card;
    p->open = rules->fruits[card];
}

/* Take what fits, card after card; returns whether the last fruit is covered. */
static bool take(const Rules *rules, Player *p, Middle *middle, int policy)
{
    for (;;) {
        int n = middle->count[p->card] < p->open ? middle->count[p->card] : p->open;
        middle->count[p->card] -= n;
        middle->dice -= n;
        p->open -= n;
        p->covered += n;
        if (p->open > 0)
            return false;
        p->finished++;
        if (p->finished == COLOURS)
            return true;
        lay_out(rules, p, next_card(rules, p, middle, policy));
    }
}

static void play_game(uint64_t seed, uint64_t game, const Rules *rules, const int *policies, int seats, int32_t *out,
                      int64_t columns)
{
    Stream dice_stream = stream_open(seed, game, STREAM_DICE, 0);
    Player players[MOST_SEATS];
    int unused[COLOURS] = {0, 1, 2, 3, 4, 5}, draw = 0;
    if (rules->start[0] < 0) {
        Stream start_stream = stream_open(seed, game, STREAM_START, 0);
        draw = stream_bounded(&start_stream, 0, 720);
    }
    for (int s = 0; s < seats; s++) {
        Player *p = &players[s];
        p->start = rules->start[s];
        if (rules->start[0] < 0) {
            int n = COLOURS - s, at = draw % n;
            draw /= n;
            p->start = unused[at];
            for (int i = at; i + 1 < n; i++)
                unused[i] = unused[i + 1];
        }
        for (int c = 0; c < COLOURS; c++)
            p->left[c] = true;
        p->covered = p->finished = 0;
        p->decisions = stream_open(seed, game, STREAM_POLICY, s);
        lay_out(rules, p, p->start);
    }

    Middle middle = {{0}, 6};
    int turns = 0, rolls = 0, eatings = 0, winner = -1, seat = seats - 1;
    bool all_back = true; /* the mover rolls all six first */
    if (rules->opening == OPEN) {
        roll(&middle, &dice_stream, 0, 0);
        rolls++;
        all_back = false;
    }
    while (winner < 0 && turns < rules->max_turns) {
        turns++;
        seat = seat + 1 < seats ? seat + 1 : 0;
        Player *p = &players[seat];
        int rolled = 0;
        bool second_chance = !all_back || (rules->reroll_after_eating && (turns > 1 || rules->opening == OPEN));
        if (all_back) {
            roll(&middle, &dice_stream, turns, rolled++);
            all_back = false;
        }
        if (middle.count[p->card] == 0 && second_chance)
            roll(&middle, &dice_stream, turns, rolled++);
        rolls += rolled;
        if (middle.count[p->card] == 0)
            continue;
        if (take(rules, p, &middle, policies[seat])) {
            winner = seat;
        } else if (middle.dice == 0) {
            eatings++;
            middle.dice = 6;
            all_back = true;
        }
    }

    for (int s = 0; s < seats; s++) {
        int row[] = {turns,
                     rolls,
                     eatings,
                     players[s].covered,
                     players[s].finished,
                     players[s].start,
                     winner < 0,
                     s == winner};
        for (int f = 0; f < 8; f++)
            out[f * columns + s] = row[f];
    }
}

void play(uint64_t seed, uint64_t first, int64_t games, const int *rules, const int *policies, int seats, int32_t *out)
{
    for (int64_t g = 0; g < games; g++)
        play_game(seed, first + (uint64_t)g, (const Rules *)rules, policies, seats, out + g * seats, games * seats);
}
