/* Composes chess problems: positions in which White mates in a given number of moves, no sooner, by one first move.

   cc -O2 -o /tmp/compose worlds/games/mates/data/compose.c && /tmp/compose MOVES FEW MANY COUNT   # lines of data/mates.txt

Each line has the moves, "q" if checks alone do not mate ("-" if they do), the FEN, and the main line: the first move, the
longest resistance, the first of the moves that go on, and so on. Positions of FEW to MANY pieces are put down at random,
most pieces near the king that is to be mated; those of 13 and more are met in random games. In C, as every defence of
every first move is searched, a hundred times as many positions as the search in `solver.py` looks at in the same time;
tests hold the lines to that search and to a third one. Nobody may castle. The same arguments print the same lines. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EMPTY, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING };
enum { FROM_GAMES = 13, LONGEST_GAME = 120, MOST_MOVES = 256, FEWEST = 25 }; /* moves of White, so that guessing fails */

typedef struct { int8_t at[64]; int8_t side, passant, king[2]; } Board; /* side 0 is White, whose pieces are positive */
typedef struct { int8_t from, to, promotion; } Move;

static uint64_t seed;
static Move killers[8][2];

static uint32_t below(uint32_t count) { /* SplitMix64: Steele, Lea and Flood, OOPSLA 2014 */
    uint64_t x = seed += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return (uint32_t)(((x ^ (x >> 31)) >> 32) * count >> 32);
}

static const int8_t STEPS[8][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
static const int8_t LEAPS[8][2] = {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};

static int step(int square, const int8_t *by) { /* the square that a step leads to, or -1 */
    int column = square % 8 + by[0], row = square / 8 + by[1];
    return column >= 0 && column < 8 && row >= 0 && row < 8 ? row * 8 + column : -1;
}

static int attacked(const Board *b, int square, int by) {
    int sign = by ? -1 : 1;
    for (int i = 0; i < 8; i++) {
        int to = step(square, LEAPS[i]);
        if (to >= 0 && b->at[to] == sign * KNIGHT) return 1;
        int slider = i < 4 ? ROOK : BISHOP, first = 1;
        for (to = step(square, STEPS[i]); to >= 0; to = step(to, STEPS[i]), first = 0) {
            int piece = sign * b->at[to];
            if (piece == slider || piece == QUEEN || (first && piece == KING)) return 1;
            if (b->at[to]) break;
        }
    }
    for (int side = -1; side <= 1; side += 2) { /* pawns attack from the row behind */
        const int8_t back[2] = {(int8_t)side, (int8_t)-sign};
        int from = step(square, back);
        if (from >= 0 && b->at[from] == sign * PAWN) return 1;
    }
    return 0;
}

static int checked(const Board *b, int side) { return attacked(b, b->king[side], 1 - side); }

static void make(const Board *b, Move m, Board *after) {
    *after = *b;
    int piece = b->at[m.from], sign = piece > 0 ? 1 : -1;
    after->at[m.from] = EMPTY;
    after->at[m.to] = (int8_t)(m.promotion ? sign * m.promotion : piece);
    after->passant = -1;
    if (piece == sign * PAWN && m.to == b->passant) after->at[m.to - 8 * sign] = EMPTY;
    if (piece == sign * PAWN && abs(m.to - m.from) == 16) after->passant = (int8_t)((m.from + m.to) / 2);
    if (piece == sign * KING) after->king[b->side] = m.to;
    after->side = (int8_t)(1 - b->side);
}

static int add(const Board *b, int from, int to, Move *out, int count) {
    int last = abs(b->at[from]) == PAWN && (to < 8 || to >= 56);
    for (int p = last ? QUEEN : EMPTY; p >= (last ? KNIGHT : EMPTY); p--)
        out[count++] = (Move){(int8_t)from, (int8_t)to, (int8_t)p};
    return count;
}

static int pawn_moves(const Board *b, int from, int sign, Move *out, int count) {
    int ahead = from + 8 * sign;
    if (!b->at[ahead]) {
        count = add(b, from, ahead, out, count);
        if (from / 8 == (sign > 0 ? 1 : 6) && !b->at[ahead + 8 * sign])
            count = add(b, from, ahead + 8 * sign, out, count);
    }
    for (int side = -1; side <= 1; side += 2) {
        const int8_t by[2] = {(int8_t)side, (int8_t)sign};
        int to = step(from, by);
        if (to >= 0 && (b->at[to] * sign < 0 || to == b->passant)) count = add(b, from, to, out, count);
    }
    return count;
}

static int legal(const Board *b, Move *out) { /* all legal moves, in the order of their squares */
    Move all[MOST_MOVES];
    int count = 0, kept = 0, sign = b->side ? -1 : 1;
    for (int from = 0; from < 64; from++) {
        int piece = sign * b->at[from];
        if (piece <= 0) continue;
        if (piece == PAWN) count = pawn_moves(b, from, sign, all, count);
        for (int i = 0; piece != PAWN && i < 8; i++) {
            if ((piece == BISHOP && i < 4) || (piece == ROOK && i >= 4)) continue;
            const int8_t *by = piece == KNIGHT ? LEAPS[i] : STEPS[i];
            for (int to = step(from, by); to >= 0; to = step(to, by)) {
                if (sign * b->at[to] <= 0) count = add(b, from, to, all, count);
                if (b->at[to] || piece == KNIGHT || piece == KING) break;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        Board after;
        make(b, all[i], &after);
        if (!checked(&after, b->side)) out[kept++] = all[i];
    }
    return kept;
}

static int same(Move a, Move b) { return a.from == b.from && a.to == b.to && a.promotion == b.promotion; }

static int mates(const Board *b, int most, int checks);

static int holds(const Board *b, Move m, int most, int checks) { /* whether a move forces mate in so many moves */
    Board after, later;
    Move replies[MOST_MOVES];
    make(b, m, &after);
    int check = checked(&after, after.side);
    if (!check && (most == 1 || checks)) return 0;
    int count = legal(&after, replies);
    if (!count || most == 1) return check && !count;
    for (int i = 1; i < count; i++) /* the reply that was best elsewhere comes first */
        if (same(replies[i], killers[most][1])) { replies[i] = replies[0]; replies[0] = killers[most][1]; }
    for (int i = 0; i < count; i++) {
        make(&after, replies[i], &later);
        if (!mates(&later, most - 1, checks)) { killers[most][1] = replies[i]; return 0; }
    }
    return 1;
}

static int mates(const Board *b, int most, int checks) { /* whether the side to move mates in at most so many moves */
    Move moves[MOST_MOVES];
    int count = legal(b, moves), gives[MOST_MOVES];
    Board after;
    for (int i = 0; i < count; i++) {
        make(b, moves[i], &after);
        gives[i] = same(moves[i], killers[most][0]) ? 2 : checked(&after, after.side);
    }
    for (int kind = 2; kind >= (most == 1 || checks ? 1 : 0); kind--)
        for (int i = 0; i < count; i++)
            if (gives[i] == kind && holds(b, moves[i], most, checks)) { killers[most][0] = moves[i]; return 1; }
    return 0;
}

static int distance(const Board *b, int most) { /* in how many moves the side to move mates, or most + 1 */
    int n = 1;
    while (n <= most && !mates(b, n, 0)) n++;
    return n;
}

/* ---- positions ---------------------------------------------------------------------------------------------------- */

static int far(int a, int b) {
    int columns = abs(a % 8 - b % 8), rows = abs(a / 8 - b / 8);
    return columns > rows ? columns : rows;
}

static int quiet(Board *b) { /* whether White is to move, no king is attacked and they do not touch */
    for (int i = 0; i < 64; i++)
        if (abs(b->at[i]) == KING) b->king[b->at[i] < 0] = (int8_t)i;
    return !b->side && far(b->king[0], b->king[1]) > 1 && !checked(b, 0) && !checked(b, 1);
}

static int put(Board *b, int piece, int near) { /* put a piece on a free square, near one with a chance of 60 % */
    int free[64], count = 0, close = below(10) < 6;
    for (int i = 0; i < 64; i++) {
        int pawn = abs(piece) == PAWN && (i < 8 || i >= 56);
        if (!b->at[i] && !pawn && (!close || far(i, near) <= 3)) free[count++] = i;
    }
    if (!count) return 0;
    b->at[free[below((uint32_t)count)]] = (int8_t)piece;
    return 1;
}

static int placed(Board *b, int pieces) {
    static const int8_t mine[] = {QUEEN, ROOK, ROOK, BISHOP, BISHOP, KNIGHT, KNIGHT, PAWN, PAWN, PAWN};
    static const int8_t theirs[] = {QUEEN, ROOK, BISHOP, KNIGHT, PAWN, PAWN, PAWN, PAWN, PAWN};
    static const int most[] = {0, 6, 2, 2, 2, 1};
    int king = (int)below(64), others = (int)below((uint32_t)(pieces - 1) / 2), used[2][7] = {{0}};
    memset(b, 0, sizeof *b);
    b->passant = -1;
    b->at[king] = -KING;
    if (!put(b, KING, king)) return 0;
    for (int left = pieces - 2; left > 0;) {
        int black = left <= others, kind = black ? theirs[below(9)] : mine[below(10)];
        if (used[black][kind] == most[kind]) continue;
        used[black][kind]++;
        left--;
        if (!put(b, black ? -kind : kind, king)) return 0;
    }
    return quiet(b);
}

static int met(Board *b, int few, int many, int after) { /* play a random game, and stop at a move with so many pieces */
    static const int8_t row[] = {ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK};
    Move moves[MOST_MOVES];
    memset(b, 0, sizeof *b);
    b->passant = -1;
    for (int i = 0; i < 8; i++) {
        b->at[i] = row[i]; b->at[8 + i] = PAWN; b->at[48 + i] = -PAWN; b->at[56 + i] = (int8_t)-row[i];
    }
    quiet(b);
    for (int made = 0; made < LONGEST_GAME; made++) {
        int pieces = 0, count = legal(b, moves), takes = 0;
        for (int i = 0; i < 64; i++) pieces += b->at[i] != EMPTY;
        if (!count || pieces < few) return 0;
        if (made >= after && pieces <= many && !b->side) { b->passant = -1; return quiet(b); }
        for (int i = 0; i < count; i++)
            if (b->at[moves[i].to]) { Move m = moves[takes]; moves[takes++] = moves[i]; moves[i] = m; }
        Move m = moves[below((uint32_t)(takes && below(2) ? takes : count))];
        Board next;
        make(b, m, &next);
        *b = next;
    }
    return 0;
}

/* ---- problems ----------------------------------------------------------------------------------------------------- */

static void print_move(Move m, const char *before) {
    printf("%s%c%d%c%d", before, 'a' + m.from % 8, 1 + m.from / 8, 'a' + m.to % 8, 1 + m.to / 8);
    if (m.promotion) putchar("  nbrq"[m.promotion]);
}

static void print_line(Board b, int most, Move key) {
    Move moves[MOST_MOVES];
    Board after;
    for (int left = most; left > 0; left--) {
        int count = legal(&b, moves), best = 0, longest = 0;
        Move m = key;
        for (int i = count - 1; left < most && i >= 0; i--)
            if (holds(&b, moves[i], left, 0)) m = moves[i];
        print_move(m, left < most ? " " : "");
        make(&b, m, &after);
        b = after;
        count = left > 1 ? legal(&b, moves) : 0;
        for (int i = 0; i < count; i++) {
            make(&b, moves[i], &after);
            int far_off = distance(&after, left - 1);
            if (far_off > longest) { longest = far_off; best = i; }
        }
        if (!count) break;
        print_move(moves[best], " ");
        make(&b, moves[best], &after);
        b = after;
    }
}

static int print_problem(const Board *b, int most) { /* print a position if it is a problem */
    Move moves[MOST_MOVES], key = {0, 0, 0};
    int count = legal(b, moves), keys = 0;
    if ((most == 1 && count < FEWEST) || (most > 1 && mates(b, most - 1, 0)) || !mates(b, most, 0)) return 0;
    for (int i = 0; i < count && keys < 2; i++)
        if (holds(b, moves[i], most, 0)) { key = moves[i]; keys++; }
    if (keys != 1) return 0;
    printf("%d\t%s\t", most, mates(b, most, 1) ? "-" : "q");
    for (int row = 7; row >= 0; row--) {
        int gap = 0;
        for (int column = 0; column <= 8; column++) {
            int piece = column < 8 ? b->at[row * 8 + column] : EMPTY;
            if (column < 8 && !piece) { gap++; continue; }
            if (gap) printf("%d", gap);
            gap = 0;
            if (piece) putchar(piece > 0 ? " PNBRQK"[piece] : " pnbrqk"[-piece]);
        }
        printf(row ? "/" : " w - - 0 1\t");
    }
    print_line(*b, most, key);
    putchar('\n');
    fflush(stdout);
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 5) { fputs("usage: compose MOVES FEW MANY COUNT\n", stderr); return 2; }
    int most = atoi(argv[1]), few = atoi(argv[2]), many = atoi(argv[3]), wanted = atoi(argv[4]);
    if (most < 1 || most > 6 || few < 4 || many < few || many > 24) { fputs("out of range\n", stderr); return 2; }
    for (uint64_t number = 0; wanted > 0; number++) {
        Board b;
        seed = ((uint64_t)most << 56) ^ ((uint64_t)few << 48) ^ ((uint64_t)many << 40) ^ (number * 0xD1B54A32D192ED03ull);
        memset(killers, 0, sizeof killers);
        int found = few >= FROM_GAMES ? met(&b, few, many, (int)below(LONGEST_GAME))
                                      : placed(&b, few + (int)below((uint32_t)(many - few + 1)));
        if (found) wanted -= print_problem(&b, most);
    }
    return 0;
}
