// Behind waves_bars.cl. One work-item builds the rises of one side of a series, which are the falls
// of the other, as BarTable::link() does; in linear time.

// A peak is known once a bar behind it is not higher.
#define SETTLE(rising, end, known)                         \
    if ((rising) != NEVER && run_end[rising] + 1 < n) {    \
        end = run_end[rising];                             \
        known = end + 1;                                   \
    }

// `series`: place of the first bar among all bars, and bars, of each; `working`: 4 numbers a bar.
__kernel void waves_table(__global double* table, uint bars, __global const double* lows,
                          __global const double* highs, __global int* working,
                          __global const int* series, uint count) {
    const uint id = get_global_id(0);
    if (id >= 2 * count) return;
    const int side = id & 1;
    const int first = series[id & ~1u];
    const int n = series[id | 1];
    const int own = 2 * first + side * n;
    const int other = 2 * first + (1 - side) * n;
    __global int* as_high = working + (size_t)4 * first + side * 2 * n;
    __global int* run_end = as_high + n;

    for (int i = n - 1; i >= 0; --i) {
        const double low = side ? -highs[first + i] : lows[first + i];
        const double high = side ? -lows[first + i] : highs[first + i];
        LOW(own + i) = low;
        HIGH(own + i) = high;
        int k = i + 1 < n ? i + 1 : NEVER;
        while (k != NEVER && HIGH(own + k) <= high) k = OVERSHOOT(own + k);
        OVERSHOOT(own + i) = k;
        UNDERCUT(other + i) = k;
        k = i + 1 < n ? i + 1 : NEVER;
        while (k != NEVER && HIGH(own + k) < high) k = as_high[k];
        as_high[i] = k;
        run_end[i] = i + 1 < n && HIGH(own + i + 1) > high ? run_end[i + 1] : i;
    }
    for (int i = 0; i < n; ++i) {
        const double low = LOW(own + i);
        const double high = HIGH(own + i);
        int start = NEVER, start_known = NEVER, next = NEVER, next_known = NEVER, skip = 0;
        // The next higher peak. One bar that only equals the old peak is passed over; where a
        // second one follows, or the old peak is a bar without extent, the chain ends.
        int k = as_high[i];
        if (k != NEVER && HIGH(own + k) == high) {
            k = low == high ? NEVER : as_high[k];
            if (k != NEVER && HIGH(own + k) == high) k = NEVER;
        }
        SETTLE(k, next, next_known)
        if (i + 1 < n && HIGH(own + i + 1) > low) {
            start = run_end[i + 1];
            start_known = i + 1;
        } else if (i + 1 < n) {
            // A gap away from the wave: its shortest form has no extent.
            skip = 1;
            k = i + 1;
            while (k != NEVER && HIGH(own + k) < low) k = as_high[k];
            if (k != NEVER && HIGH(own + k) > low) SETTLE(k, start, start_known)
        }
        RISE(0, own + i) = start;
        RISE(1, own + i) = start_known;
        RISE(2, own + i) = next;
        RISE(3, own + i) = next_known;
        RISE_FIRST_SKIP(own + i) = skip;
        FALL(0, other + i) = start;
        FALL(1, other + i) = start_known;
        FALL(2, other + i) = next;
        FALL(3, other + i) = next_known;
        FALL_FIRST_SKIP(other + i) = skip;
    }
}
