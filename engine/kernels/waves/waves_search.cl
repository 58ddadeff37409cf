// Behind waves_bars.cl and waves_scores.cl; behind it comes descend(), which engine/waves_device
// writes from the patterns of a family: the search of engine/waves/search/descent.hpp from one start.
//
// A lane is a direction of a series; a visit a start in a window; an item some visits of a lane, all
// of a start in one item and in the order of windows. PATTERNS and COUNTERS: of the family, see below.
// With COUNTS every count is counted and kept; without, only the best scores are looked for, and what
// cannot beat them is passed over.

typedef struct {
    double score;  // of finished counts
    int at[6];
    int window;
    int what;  // place of the pattern in its family, + 256 * its finished waves
} Found;

typedef struct {
    double best[PATTERNS];
    int until;  // the result stands in all windows that end up to there
#ifdef COUNTS
    uint counters[COUNTERS];  // nodes, cut chains, counts under way, finished ones by pattern, and
                              // nodes that broke a rule, by pattern and rule
    int window;
    __global const double* floors;  // scores below which a count is not kept, by pattern
    __global uint* histogram;       // of scores, BINS to each pattern
    __global Found* found;
    uint capacity;
    __global volatile uint* kept;  // may pass the capacity: then counts are missing
#endif
} Search;

#ifdef COUNTS
#define COUNT(counter) ++s->counters[counter]

inline void keep(Search* s, const Path* p, int what, double score) {
    const uint place = atomic_inc(s->kept);
    if (place >= s->capacity) return;
    __global Found* it = s->found + place;
    it->score = score;
    for (int end = 0; end < 6; ++end) it->at[end] = p->at[end];
    it->window = s->window;
    it->what = what;
}
inline void complete(Search* s, const Path* p, int pattern, int waves, double score) {
    if (score < 0) return;
    s->best[pattern] = larger(s->best[pattern], score);
    const uint bin = smaller(score * BINS, BINS - 1);
    atomic_inc((volatile __global uint*)(s->histogram + pattern * BINS + bin));
    if (score >= s->floors[pattern]) keep(s, p, pattern + 256 * waves, score);
}
#define COMPLETE(P, waves)                                                                      \
    {                                                                                           \
        ++s->counters[3 + P];                                                                   \
        complete(s, p, P, waves, score_##P(p, w, smaller(s->floors[P], s->best[P])));           \
    }
#define OPEN(P, waves)                                   \
    if (to_the_end) {                                    \
        ++s->counters[2];                                \
        keep(s, p, P + 256 * waves, 0);                  \
    }
#else
#define COUNT(counter)
#define COMPLETE(P, waves) s->best[P] = larger(s->best[P], score_##P(p, w, s->best[P]));
#endif
#define HIDDEN(known) \
    if (known < s->until) s->until = known;

void descend(Search* s, __global const double* table, uint bars, int base, int start, int end,
             bool to_the_end, int up_to, uint wanted, __global const double* w);

// `lanes`: first bar in the table and number of bars of each. `items`: lane, first visit, end of the
// visits. `visits`: bar, end of the window, number of the window. `hints`: a score (a float's bits) that
// a lane is known to reach, by pattern: what cannot beat it need not be looked at.
__kernel void waves_search(__global const double* table, uint bars, __global const int* lanes,
                           __global const int* items, __global const int* visits, uint first_item,
                           uint item_count, uint up_to, uint wanted, __global const double* w,
                           __global volatile int* hints, __global double* best
#ifdef COUNTS
                           ,
                           __global uint* counters, __global uint* histogram,
                           __global const double* floors, __global Found* found,
                           __global const uint* regions, __global uint* kept
#endif
) {
    if (get_global_id(0) >= item_count) return;
    const uint item = first_item + get_global_id(0);
    const int lane = items[3 * item];
    const int base = lanes[2 * lane];
    const int n = lanes[2 * lane + 1];
    Search s;
    for (int p = 0; p < PATTERNS; ++p) s.best[p] = -1;
#ifdef COUNTS
    for (int c = 0; c < COUNTERS; ++c) s.counters[c] = 0;
    s.floors = floors + lane * PATTERNS;
    s.histogram = histogram + (size_t)lane * PATTERNS * BINS;
    s.found = found + regions[2 * lane];
    s.capacity = regions[2 * lane + 1];
    s.kept = (__global volatile uint*)kept + lane;
    uint before[PATTERNS];
    for (int p = 0; p < PATTERNS; ++p) before[p] = 0;
#endif
    int bar = -1;
    int until = 0;
    bool until_the_end = false;
    for (int v = items[3 * item + 1]; v < items[3 * item + 2]; ++v) {
        const int end = visits[3 * v + 1];
        if (visits[3 * v] != bar) {
            bar = visits[3 * v];
            until = 0;
        }
        // What an earlier window told is not searched again; counts under way are only looked for
        // where the data end.
        if (until >= end && until_the_end == (end == n)) {
#ifdef COUNTS
            for (int p = 0; p < PATTERNS; ++p) s.counters[3 + p] += before[p];
#endif
            continue;
        }
#ifdef COUNTS
        for (int p = 0; p < PATTERNS; ++p) before[p] = s.counters[3 + p];
        s.window = visits[3 * v + 2];
#else
        for (int p = 0; p < PATTERNS; ++p)
            s.best[p] = larger(s.best[p], as_float(hints[lane * PATTERNS + p]));
#endif
        s.until = NEVER;
        descend(&s, table, bars, base, bar, end, end == n, up_to, wanted, w);
        until = s.until;
        until_the_end = end == n;
#ifdef COUNTS
        for (int p = 0; p < PATTERNS; ++p) before[p] = s.counters[3 + p] - before[p];
#else
        for (int p = 0; p < PATTERNS; ++p) {
            // Rounded down: a hint never promises too much.
            const int hint = as_int(convert_float_rtn(s.best[p]));
            if (hint > hints[lane * PATTERNS + p]) atomic_max(hints + lane * PATTERNS + p, hint);
        }
#endif
    }
    for (int p = 0; p < PATTERNS; ++p) best[(size_t)item * PATTERNS + p] = s.best[p];
#ifdef COUNTS
    for (int c = 0; c < COUNTERS; ++c)
        if (s.counters[c] > 0)
            atomic_add((volatile __global uint*)(counters + (size_t)lane * COUNTERS + c),
                       s.counters[c]);
#endif
}
