/* David Parlett's Caterpillar (cards, two players): every rule parameter, the policies `random` and `greedy`.
   Cards are numbered 13 x suit + rank - 1; a rank above 10 is a court. */

#include <stdbool.h>
#include <string.h>

#include "philox.h"

enum { ALLOWED, BARRED };
enum { RANDOM, GREEDY };
enum { CARDS = 52, MOST_IN_HAND = 26 };

/* The caller passes these 5 numbers in this order. */
typedef struct {
    int block, deals, hand_size, multiple, court_bonus;
} Rules;

typedef struct {
    uint8_t cards[MOST_IN_HAND]; /* ascending */
    int n;
} Hand;

typedef struct {
    int score, running, courts, played, court_short, stuck;
} Result;

static int suit_of(int card) { return card / 13; }
static int rank_of(int card) { return card % 13 + 1; }
static bool is_court(int card) { return rank_of(card) > 10; }
static int pips_of(int card) { return is_court(card) ? 0 : rank_of(card); }

static void hand_add(Hand *hand, int card)
{
    int at = hand->n++;
    for (; at > 0 && hand->cards[at - 1] > card; at--)
        hand->cards[at] = hand->cards[at - 1];
    hand->cards[at] = (uint8_t)card;
}

static void hand_remove(Hand *hand, int card)
{
    int at = 0;
    while (hand->cards[at] != card)
        at++;
    hand->n--;
    for (; at < hand->n; at++)
        hand->cards[at] = hand->cards[at + 1];
}

static int hand_courts(const Hand *hand)
{
    int n = 0;
    for (int i = 0; i < hand->n; i++)
        n += is_court(hand->cards[i]);
    return n;
}

/* Whether `card` may follow a card of the given suit (-1: the row is empty). */
static bool follows(int card, int suit) { return suit < 0 || is_court(card) || suit_of(card) == suit; }

static bool has_follower(const Hand *hand, int suit)
{
    for (int i = 0; i < hand->n; i++)
        if (follows(hand->cards[i], suit))
            return true;
    return false;
}

/* Lists the cards that may be played, ascending. */
static int legal_cards(const Rules *rules, const Hand *own, const Hand *other, int suit, bool last, uint8_t *cards)
{
    int n = 0;
    for (int i = 0; i < own->n; i++)
        if (follows(own->cards[i], suit))
            cards[n++] = own->cards[i];
    if (rules->block == BARRED && !last) {
        bool open[4];
        int n_open = 0;
        for (int s = 0; s < 4; s++)
            open[s] = has_follower(other, s);
        for (int i = 0; i < n; i++)
            if (open[suit_of(cards[i])])
                n_open++;
        if (n_open > 0 && n_open < n) {
            int kept = 0;
            for (int i = 0; i < n; i++)
                if (open[suit_of(cards[i])])
                    cards[kept++] = cards[i];
            n = kept;
        }
    }
    return n;
}

static int gain_of(const Rules *rules, int card, int suit, int total)
{
    total += pips_of(card);
    if (total % rules->multiple != 0 || (is_court(card) && suit_of(card) != suit))
        return 0;
    return total;
}

static int choose_greedy(const Rules *rules, const uint8_t *cards, int n, int suit, int total)
{
    int best = 0, best_gain = -1;
    for (int i = 0; i < n; i++) {
        int gain = gain_of(rules, cards[i], suit, total);
        /* numerals have the lower ranks, so the lower rank settles both ties; the lower suit comes first in the list */
        if (gain > best_gain || (gain == best_gain && rank_of(cards[i]) < rank_of(cards[best]))) {
            best = i;
            best_gain = gain;
        }
    }
    return cards[best];
}

static void play_deal(uint64_t seed, uint64_t game, const Rules *rules, const int *policies, int deal, Result result[2])
{
    Stream deck_stream = stream_open(seed, game, STREAM_DECK, 0);
    Stream decisions[2] = {stream_open(seed, game, STREAM_POLICY, 0), stream_open(seed, game, STREAM_POLICY, 1)};
    uint8_t deck[CARDS], cards[MOST_IN_HAND];
    Hand hands[2] = {{{0}, 0}, {{0}, 0}};
    int next = 0, suit = -1, total = 0, running[2] = {0, 0}, bonus[2] = {0, 0};

    for (int i = 0; i < CARDS; i++)
        deck[i] = (uint8_t)i;
    for (int i = 0; i < CARDS - 1; i++) {
        int j = i + stream_bounded(&deck_stream, (uint32_t)(64 * deal + i), (uint32_t)(CARDS - i));
        uint8_t card = deck[i];
        deck[i] = deck[j];
        deck[j] = card;
    }
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < rules->hand_size; i++)
            hand_add(&hands[p], deck[next++]);

    int plays = CARDS - 2 * rules->hand_size, stuck = -1;
    for (int t = 0; t < plays; t++) {
        int p = (deal + t) % 2;
        int n = legal_cards(rules, &hands[p], &hands[1 - p], suit, t == plays - 1, cards);
        if (n == 0) {
            stuck = p;
            break;
        }
        int card = policies[p] == RANDOM ? cards[pick(stream_uniform(&decisions[p], (uint32_t)(64 * deal + t)), n)]
                                         : choose_greedy(rules, cards, n, suit, total);
        running[p] += gain_of(rules, card, suit, total);
        total += pips_of(card);
        suit = suit_of(card);
        hand_remove(&hands[p], card);
        hand_add(&hands[p], deck[next++]);
        result[p].played++;
    }

    int courts[2] = {hand_courts(&hands[0]), hand_courts(&hands[1])};
    if (stuck >= 0) {
        bonus[stuck] = rules->court_bonus * courts[1 - stuck];
        result[stuck].stuck = 1;
    } else {
        bonus[0] = rules->court_bonus * courts[0];
        bonus[1] = rules->court_bonus * courts[1];
    }
    for (int p = 0; p < 2; p++) {
        result[p].score += running[p] + bonus[p];
        result[p].running += running[p];
        result[p].courts += courts[p];
        result[p].court_short |= stuck >= 0;
    }
}

void play(uint64_t seed, uint64_t first, int64_t games, const int *rules, const int *policies, int seats, int32_t *out)
{
    int64_t columns = games * seats;
    for (int64_t g = 0; g < games; g++) {
        Result result[2];
        memset(result, 0, sizeof result);
        for (int deal = 0; deal < ((const Rules *)rules)->deals; deal++)
            play_deal(seed, first + (uint64_t)g, (const Rules *)rules, policies, deal, result);
        for (int p = 0; p < 2; p++) {
            int other = result[1 - p].score;
            int row[] = {result[p].score,  result[p].running,
                         result[p].courts, result[p].played,
                         result[p].court_short, result[p].stuck,
                         result[p].score > other ? 1 : result[p].score == other ? 2 : 0};
            for (int f = 0; f < 7; f++)
                out[f * columns + g * seats + p] = row[f];
        }
    }
}
