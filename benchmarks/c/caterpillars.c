/* Caterpillars (dice, roll-and-write): every level, every rule reading, the policies `random` and `greedy`.

   What may be done with a roll is kept as one list per value that can be stored as a bonus (index 0: nothing is stored):
   after storing a 3, say, the same entries are possible whichever bonus box took it. Each list is sorted and free of
   doubles, so the distinct outcomes in sorted order are list 0, then for each empty bonus box the lists 1, 2, ... */

#include <stdbool.h>
#include <string.h>

#include "philox.h"

enum { BEGINNER, INTERMEDIATE, ADVANCED, EXPERT };
enum { STANDARD, VARIATION };
enum { FORCED, SPLIT, STRICT };
enum { SAME_BOX, ANY_BOX };
enum { DOUBLED, FACE, BARRED };
enum { REGULAR, ANY_DIE };
enum { MEDIAN, LOWEST, HIGHEST, TOTAL };
enum { RANDOM, GREEDY };
enum { FACE_A, FACE_B, FACE_C, FACE_2X, FACE_10, FACE_BUTTERFLY, NO_FACE };

/* The caller passes these 22 numbers in this order. */
typedef struct {
    int level, setup, zero_rule, bonus_ban, double_optional, double_stores, bonus_source, idle_dice, final, boxes;
    int sheet[12]; /* 0: blank */
} Rules;

/* A doubled 6 is the most that can be stored, so a letter's die and two sixes and one more make the largest sum, 30. */
enum { MOST_BOXES = 12, LARGEST_STORED = 12, LARGEST_SUM = 30, MOST_ENTRIES = MOST_BOXES * (LARGEST_SUM + 1) };

typedef struct {
    uint8_t n, boxes[MOST_BOXES]; /* ascending */
} BoxList;

typedef struct {
    int labels[MOST_BOXES], scores[MOST_BOXES];
    BoxList empty;                       /* the empty boxes ... */
    BoxList empty_with[LARGEST_SUM + 1]; /* ... and those with a given label */
    int bonus[3];                        /* 0: empty */
    int zeros;
} Sheet;

/* What is possible, by the value stored on the way (0: none). */
typedef struct {
    bool reached[LARGEST_STORED + 1];           /* some way of using the dice stores this value */
    bool split_without_box[LARGEST_STORED + 1]; /* some split of the dice left finds no empty box */
    int n[LARGEST_STORED + 1];
    uint16_t entries[LARGEST_STORED + 1][MOST_ENTRIES]; /* 256 x box + score, ascending */
} Choices;

typedef struct {
    int bonus_box, bonus_value, box, score;
} Outcome;

static void list_remove(BoxList *list, int box)
{
    int n = 0;
    for (int i = 0; i < list->n; i++)
        if (list->boxes[i] != box)
            list->boxes[n++] = list->boxes[i];
    list->n = (uint8_t)n;
}

static void add_entry(Choices *choices, int stored, int box, int score)
{
    uint16_t *entries = choices->entries[stored];
    int entry = 256 * box + score, at = choices->n[stored];
    while (at > 0 && entries[at - 1] > entry)
        at--;
    if (at > 0 && entries[at - 1] == entry)
        return;
    for (int i = choices->n[stored]++; i > at; i--)
        entries[i] = entries[i - 1];
    entries[at] = (uint16_t)entry;
}

static void add_everywhere(Choices *choices, int stored, const BoxList *empty, int score)
{
    for (int i = 0; i < empty->n; i++)
        add_entry(choices, stored, empty->boxes[i], score);
}

/* Every entry that the dice left allow after a value was stored (0: none). */
static void add_way(Choices *choices, const Rules *rules, const Sheet *sheet, int stored, const int *dice, int n, int face)
{
    int all = (1 << n) - 1;
    int sum[16] = {0}; /* of each set of dice */
    for (int d = 0; d < n; d++)
        for (int set = 0; set < 1 << d; set++)
            sum[set | 1 << d] = sum[set] + dice[d];

    choices->reached[stored] = true;
    for (int label = 1; label < all; label++) {
        const BoxList *list = &sheet->empty_with[sum[label]];
        int rest = all & ~label;
        if (list->n == 0)
            choices->split_without_box[stored] = true;
        for (int i = 0; i < list->n; i++) {
            if (rules->idle_dice)
                for (int score = rest; score > 0; score = (score - 1) & rest)
                    add_entry(choices, stored, list->boxes[i], sum[score]);
            else
                add_entry(choices, stored, list->boxes[i], sum[rest]);
        }
    }
    if (face == FACE_BUTTERFLY)
        add_everywhere(choices, stored, &sheet->empty, sum[all]);
}

/* All ways of using a roll; `rolled` is ascending. Of equal dice the first stands for all. */
static void find_choices(Choices *choices, const Rules *rules, const Sheet *sheet, const int *rolled, int n, int face)
{
    bool letter = face <= FACE_C;
    int fourth = letter ? sheet->bonus[face] : face == FACE_10 ? 10 : 0;
    bool forfeits = letter && rules->bonus_ban == ANY_BOX; /* a bonus write costs the letter's die */
    bool may_store = rules->level >= ADVANCED && (!sheet->bonus[0] || !sheet->bonus[1] || !sheet->bonus[2]);

    memset(choices->reached, 0, sizeof choices->reached);
    memset(choices->split_without_box, 0, sizeof choices->split_without_box);
    memset(choices->n, 0, sizeof choices->n);

    int first_double = face == FACE_2X && !rules->double_optional ? 0 : -1; /* -1: no die is doubled */
    int last_double = face == FACE_2X ? n - 1 : -1;
    for (int twice = first_double; twice <= last_double; twice++) {
        int dice[4], left[4];
        if (twice > 0 && rolled[twice] == rolled[twice - 1])
            continue;
        for (int d = 0; d < n; d++)
            dice[d] = d == twice ? 2 * rolled[d] : rolled[d];
        dice[n] = fourth;
        add_way(choices, rules, sheet, 0, dice, n + (fourth > 0), face);
        if (!may_store)
            continue;
        for (int d = 0; d < n; d++) {
            if (d > 0 && d != twice && d - 1 != twice && rolled[d] == rolled[d - 1])
                continue;
            if (d == twice && rules->double_stores == BARRED)
                continue;
            int stored = d == twice && rules->double_stores == FACE ? rolled[d] : dice[d];
            int n_left = 0;
            for (int other = 0; other < n; other++)
                if (other != d)
                    left[n_left++] = dice[other];
            if (fourth && !forfeits)
                left[n_left++] = fourth;
            add_way(choices, rules, sheet, stored, left, n_left, face);
        }
        if (fourth && rules->bonus_source == ANY_DIE && !forfeits)
            add_way(choices, rules, sheet, fourth, dice, n, face);
    }

    bool any_entry = false;
    for (int v = 0; v <= LARGEST_STORED; v++)
        any_entry |= choices->n[v] > 0;
    for (int v = 0; v <= LARGEST_STORED; v++) {
        bool zero = rules->zero_rule == FORCED  ? choices->n[v] == 0
                    : rules->zero_rule == SPLIT ? choices->split_without_box[v]
                                                : !any_entry;
        if (choices->reached[v] && zero)
            add_everywhere(choices, v, &sheet->empty, 0);
    }
}

static Outcome make_outcome(int bonus_box, int bonus_value, int entry)
{
    return (Outcome){bonus_box, bonus_value, entry / 256, entry % 256};
}

static Outcome choose_random(const Choices *choices, const Sheet *sheet, double u)
{
    int empty[3], n_empty = 0, per_box = 0;
    for (int b = 0; b < 3; b++)
        if (!sheet->bonus[b])
            empty[n_empty++] = b;
    for (int v = 1; v <= LARGEST_STORED; v++)
        per_box += choices->n[v];
    int k = pick(u, choices->n[0] + n_empty * per_box);
    if (k < choices->n[0])
        return make_outcome(-1, 0, choices->entries[0][k]);
    k -= choices->n[0];
    int v = 1, box = empty[k / per_box];
    for (k %= per_box; k >= choices->n[v]; v++)
        k -= choices->n[v];
    return make_outcome(box, v, choices->entries[v][k]);
}

/* The first of the largest scores in sorted order, so a bonus write goes to the first empty bonus box. */
static Outcome choose_greedy(const Choices *choices, const Sheet *sheet)
{
    int best_score = -1, best_value = 0, best_entry = 0, box = -1;
    for (int v = 0; v <= LARGEST_STORED; v++) {
        for (int i = 0; i < choices->n[v]; i++) {
            int entry = choices->entries[v][i];
            if (entry % 256 > best_score) {
                best_score = entry % 256;
                best_value = v;
                best_entry = entry;
            }
        }
    }
    if (best_value > 0)
        for (box = 0; sheet->bonus[box]; box++)
            ;
    return make_outcome(box, best_value, best_entry);
}

static void apply(Sheet *sheet, Outcome o)
{
    if (o.bonus_box >= 0)
        sheet->bonus[o.bonus_box] = o.bonus_value;
    sheet->scores[o.box] = o.score;
    sheet->zeros += o.score == 0;
    list_remove(&sheet->empty, o.box);
    list_remove(&sheet->empty_with[sheet->labels[o.box]], o.box);
}

static void three_dice(int dice[3], int x)
{
    dice[0] = x % 6 + 1;
    dice[1] = x / 6 % 6 + 1;
    dice[2] = x / 36 % 6 + 1;
}

static void sort_dice(int *dice, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && dice[j - 1] > dice[j]; j--) {
            int die = dice[j];
            dice[j] = dice[j - 1];
            dice[j - 1] = die;
        }
}

static void write_label(Sheet *sheet, BoxList *blanks, int at, int value)
{
    int box = blanks->boxes[at];
    sheet->labels[box] = value;
    list_remove(blanks, box);
}

static void set_up(Sheet *sheet, const Rules *rules, int policy, Stream *dice_stream, Stream *placement)
{
    BoxList blanks = {0, {0}};
    memset(sheet, 0, sizeof *sheet);
    for (int b = 0; b < 3 * rules->boxes; b++) {
        sheet->labels[b] = rules->sheet[b];
        if (rules->sheet[b] == 0)
            blanks.boxes[blanks.n++] = (uint8_t)b;
    }
    for (uint32_t j = 0; blanks.n > 0; j++) {
        int dice[3];
        three_dice(dice, stream_bounded(dice_stream, j, 1296));
        if (rules->setup == STANDARD) {
            for (uint32_t d = 0; d < 3; d++) {
                int at = policy == RANDOM ? pick(stream_uniform(placement, 3 * j + d), blanks.n) : 0;
                write_label(sheet, &blanks, at, dice[d]);
            }
        } else {
            int single = 0, first = 0, second = 0;
            if (policy == RANDOM) {
                single = pick(stream_uniform(placement, 3 * j), 3);
                first = pick(stream_uniform(placement, 3 * j + 1), blanks.n);
                second = pick(stream_uniform(placement, 3 * j + 2), blanks.n - 1);
            }
            write_label(sheet, &blanks, first, dice[single]);
            write_label(sheet, &blanks, second, dice[0] + dice[1] + dice[2] - dice[single]);
        }
    }
    for (int b = 0; b < 3 * rules->boxes; b++) {
        BoxList *same = &sheet->empty_with[sheet->labels[b]];
        sheet->empty.boxes[sheet->empty.n++] = (uint8_t)b;
        same->boxes[same->n++] = (uint8_t)b;
    }
}

/* The caterpillar that flies: the best legal one, then the lowest index. */
static int which_flies(int final, const int total[3], const int bonus[3])
{
    int high = total[0], low = total[0], best = -1;
    for (int k = 1; k < 3; k++) {
        if (total[k] > high)
            high = total[k];
        if (total[k] < low)
            low = total[k];
    }
    for (int k = 0; k < 3; k++) {
        int a = total[(k + 1) % 3], b = total[(k + 2) % 3];
        bool legal = final == LOWEST    ? total[k] == low
                     : final == HIGHEST ? total[k] == high
                                        : (a == high && b == low) || (a == low && b == high);
        if (legal && (best < 0 || total[k] + bonus[k] > total[best] + bonus[best]))
            best = k;
    }
    return best;
}

static void play_game(uint64_t seed, uint64_t game, const Rules *rules, const int *policies, int seats, int32_t *out,
                      int64_t columns)
{
    int rounds = 3 * rules->boxes, n_dice = rules->level == BEGINNER ? 2 : 3;
    int best_score = -1, best_sum = -1, sharing = 0;
    Stream dice_stream = stream_open(seed, game, STREAM_DICE, 0);
    Stream setup_stream = stream_open(seed, game, STREAM_SETUP, 0);
    int rolled[MOST_BOXES][3], faces[MOST_BOXES];
    for (int r = 0; r < rounds; r++) {
        int x = stream_bounded(&dice_stream, (uint32_t)r, 1296);
        three_dice(rolled[r], x);
        sort_dice(rolled[r], n_dice);
        faces[r] = rules->level == EXPERT ? x / 216 : NO_FACE;
    }

    for (int seat = 0; seat < seats; seat++) {
        int policy = policies[seat];
        Stream placement = stream_open(seed, game, STREAM_PLACEMENT, seat);
        Stream decisions = stream_open(seed, game, STREAM_POLICY, seat);
        Sheet sheet;
        Choices choices;
        set_up(&sheet, rules, policy, &setup_stream, &placement);
        for (int r = 0; r < rounds; r++) {
            find_choices(&choices, rules, &sheet, rolled[r], n_dice, faces[r]);
            apply(&sheet, policy == RANDOM ? choose_random(&choices, &sheet, stream_uniform(&decisions, (uint32_t)r))
                                           : choose_greedy(&choices, &sheet));
        }

        int total[3] = {0}, box_sum = 0, flying = -1, score;
        for (int c = 0; c < 3; c++) {
            for (int b = 0; b < rules->boxes; b++)
                total[c] += sheet.scores[c * rules->boxes + b];
            box_sum += total[c];
        }
        if (rules->final == TOTAL) {
            score = box_sum + sheet.bonus[0] + sheet.bonus[1] + sheet.bonus[2];
        } else {
            flying = which_flies(rules->final, total, sheet.bonus);
            score = total[flying] + sheet.bonus[flying];
        }
        int row[] = {score,          total[0],       total[1], total[2], sheet.bonus[0],
                     sheet.bonus[1], sheet.bonus[2], flying,   box_sum,  sheet.zeros};
        for (int f = 0; f < 10; f++)
            out[f * columns + seat] = row[f];
        if (score > best_score || (score == best_score && box_sum > best_sum)) {
            best_score = score;
            best_sum = box_sum;
            sharing = 0;
        }
        sharing += score == best_score && box_sum == best_sum;
    }
    for (int seat = 0; seat < seats; seat++) {
        bool won = out[seat] == best_score && out[8 * columns + seat] == best_sum;
        out[10 * columns + seat] = won ? sharing : 0;
    }
}

void play(uint64_t seed, uint64_t first, int64_t games, const int *rules, const int *policies, int seats, int32_t *out)
{
    for (int64_t g = 0; g < games; g++)
        play_game(seed, first + (uint64_t)g, (const Rules *)rules, policies, seats, out + g * seats, games * seats);
}
