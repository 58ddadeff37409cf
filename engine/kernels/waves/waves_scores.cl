// Behind waves_bars.cl: what engine/waves/scoring computes, in the same order of operations. Targets
// of a pattern (second_P, third_P …), its margins and which of the macros below it needs are written
// by engine/waves_device from the patterns themselves.

typedef struct {
    int at[6];
    double price[6];
    double length[6];
} Path;

inline double larger(double a, double b) { return a < b ? b : a; }
inline double smaller(double a, double b) { return b < a ? b : a; }
inline double share(double value) { return value < 0 ? 0 : 1 < value ? 1 : value; }
inline double bars_of(const Path* p, int wave) { return p->at[wave] - p->at[wave - 1]; }
inline double slope(const Path* p, int from, int to) {
    return (p->price[to] - p->price[from]) / (double)(p->at[to] - p->at[from]);
}
inline double near(double best, double ratio, double target) {
    return larger(best, 1 - fabs(ratio - target) * (4 / target));
}

#ifdef COMPATIBLE

inline double distance_of_time(double r) {
    double d = fabs(r - 0.382);
    d = smaller(d, fabs(r - 0.5));
    d = smaller(d, fabs(r - 0.618));
    d = smaller(d, fabs(r - 1.0));
    d = smaller(d, fabs(r - 1.272));
    d = smaller(d, fabs(r - 1.618));
    return smaller(d, fabs(r - 2.618));
}
inline double retracement(double r) {
    const double d = smaller(smaller(fabs(r - 0.382), fabs(r - 0.5)), fabs(r - 0.618));
    return d < 0.05 ? 1 : d < 0.15 ? 0.8 : d < 0.25 ? 0.5 : 0.2;
}
inline double extension(double r) {
    if (r < 1) return 0;
    const double d = fabs(r - 1.618);
    return d < 0.1 ? 1 : d < 0.3 ? 0.8 : d < 0.5 ? 0.6 : 0.4;
}
inline double near_fifth(double d) { return d < 0.1 ? 1 : larger(0.3, 1 - d); }
inline double fifth(const Path* p) {
    return larger(near_fifth(fabs(p->length[5] / p->length[1] - 1)),
                  near_fifth(fabs(p->length[5] / p->length[3] - 0.618)));
}
inline double time_of(int wave, const Path* p) {
    return larger(0.3, 1 - distance_of_time(bars_of(p, wave) / bars_of(p, 1)));
}
inline double time_of_count(const Path* p) { return (time_of(2, p) + time_of(3, p)) / 2; }
inline double third_of_three(const Path* p) {
    const double r = p->length[3] / p->length[1];
    const double d = smaller(fabs(r - 1), fabs(r - 0.618));
    return d < 0.1 ? 0.9 : d < 0.2 ? 0.7 : 0.5;
}
inline double ratios_of_head(const Path* p) {
    return retracement(p->length[2] / p->length[1]) + extension(p->length[3] / p->length[1]);
}
// `w`: factors of the ratios, of the times, and what is the same for all counts.
inline double sum_of(__global const double* w, double fibonacci, double time) {
    return share(w[0] * fibonacci + w[1] * time + w[2]);
}
inline bool early(const Path* p, __global const double* w, double most, double score) {
    return sum_of(w, most, 1) > score && sum_of(w, most, (time_of(2, p) + 1) / 2) > score;
}
inline bool early_five(const Path* p, __global const double* w, double score) {
    return early(p, w, (retracement(p->length[2] / p->length[1]) + 1 + 1) / 3, score);
}
inline bool early_three(const Path* p, __global const double* w, double score) {
    return early(p, w, 0.9, score);
}

#define FIVE(P)                                                                                \
    inline double bound_##P(const Path* p, __global const double* w) {                         \
        return sum_of(w, (ratios_of_head(p) + 1) / 3, time_of_count(p));                       \
    }                                                                                          \
    inline bool early_##P(const Path* p, __global const double* w, double score) {             \
        return early_five(p, w, score);                                                        \
    }                                                                                          \
    inline double score_##P(const Path* p, __global const double* w, double needed) {          \
        return sum_of(w, (ratios_of_head(p) + fifth(p)) / 3, time_of_count(p));                \
    }
#define THREE(P)                                                                               \
    inline bool early_##P(const Path* p, __global const double* w, double score) {             \
        return early_three(p, w, score);                                                       \
    }                                                                                          \
    inline double score_##P(const Path* p, __global const double* w, double needed) {          \
        return sum_of(w, third_of_three(p), time_of_count(p));                                 \
    }

#else

inline double time_closeness(double r) {
    return near(near(near(near(near(near(0, r, 0.382), r, 0.5), r, 0.618), r, 1.0), r, 1.618), r,
                2.618);
}
inline double times(const Path* p, int from, int to) {
    double sum = 0;
    for (int wave = from; wave <= to; ++wave) sum += time_closeness(bars_of(p, wave) / bars_of(p, 1));
    return sum;
}
inline double above(const Path* p, int a, double rate, int end) {
    return p->price[end] - p->price[a] - rate * (p->at[end] - p->at[a]);
}
inline double channel_of(const Path* p, int a, int b, int through, int last) {
    const double rate = slope(p, a, b);
    const double width = above(p, a, rate, through);
    return width > 0 ? larger(0, 1 - fabs(above(p, a, rate, last) - width) / width) : 0;
}
inline double alternation(const Path* p) {
    const double depths = fabs(p->length[2] / p->length[1] - p->length[4] / p->length[3]);
    const double second = bars_of(p, 2);
    const double fourth = bars_of(p, 4);
    return (smaller(1, depths / 0.382) + fabs(second - fourth) / larger(second, fourth)) / 2;
}
// The margin of a rule; `scale`: what it is measured by.
inline double weaker(double weakest, double left, double right, double scale) {
    return smaller(weakest, scale > 0 ? (left - right) / scale : 0);
}

// `w`: weights of ratios, times, alternation, channel and margins.
inline double mean_of_five(__global const double* w, double fibonacci, double time,
                           double alternating, double channel, double margin) {
    const double sum = w[0] * fibonacci + w[1] * time + w[2] * alternating + w[3] * channel +
                       w[4] * margin;
    const double weight = w[0] + w[1] + w[2] + w[3] + w[4];
    return weight > 0 ? share(sum / weight) : 0;
}
inline double mean_of_three(__global const double* w, double fibonacci, double time,
                            double channel, double margin) {
    const double sum = w[0] * fibonacci + w[1] * time + w[3] * channel + w[4] * margin;
    const double weight = w[0] + w[1] + w[3] + w[4];
    return weight > 0 ? share(sum / weight) : 0;
}

// A score is -1 where it shows early that it is below `needed`.
#define FIVE(P)                                                                                \
    inline double to_fourth_##P(const Path* p) {                                               \
        return second_##P(p->length[2] / p->length[1]) +                                       \
               third_##P(p->length[3] / p->length[1]) +                                        \
               fourth_##P(p->length[4] / p->length[3]);                                        \
    }                                                                                          \
    inline double bound_##P(const Path* p, __global const double* w) {                         \
        return mean_of_five(w, (to_fourth_##P(p) + 1) / 4, (times(p, 2, 4) + 1) / 4,           \
                            alternation(p), 1, 1);                                             \
    }                                                                                          \
    inline double score_##P(const Path* p, __global const double* w, double needed) {          \
        const double ratios =                                                                  \
            (to_fourth_##P(p) + larger(fifth_to_first_##P(p->length[5] / p->length[1]),        \
                                       fifth_to_third_##P(p->length[5] / p->length[3]))) /     \
            4;                                                                                 \
        if (mean_of_five(w, ratios, 1, 1, 1, 1) < needed) return -1;                           \
        const double time = (times(p, 2, 4) + times(p, 5, 5)) / 4;                             \
        const double alternating = alternation(p);                                             \
        const double channel = channel_of(p, 2, 4, 3, 5);                                      \
        if (mean_of_five(w, ratios, time, alternating, channel, 1) < needed) return -1;        \
        return mean_of_five(w, ratios, time, alternating, channel, margins_##P(p));            \
    }
#define THREE(P)                                                                               \
    inline double score_##P(const Path* p, __global const double* w, double needed) {          \
        const double ratios = (second_##P(p->length[2] / p->length[1]) +                       \
                               third_##P(p->length[3] / p->length[1])) /                       \
                              2;                                                               \
        if (mean_of_three(w, ratios, 1, 1, 1) < needed) return -1;                             \
        const double time = times(p, 2, 3) / 2;                                                \
        const double channel = channel_of(p, 0, 2, 1, 3);                                      \
        if (mean_of_three(w, ratios, time, channel, 1) < needed) return -1;                    \
        return mean_of_three(w, ratios, time, channel, margins_##P(p));                        \
    }

#endif
