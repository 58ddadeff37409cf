// The k largest numbers of each row with their columns, the largest first, of equals the leftmost. k walks
// over the row, each looking for the best behind the last one found: k is small.
__kernel void top_k(__global const float* in, __global float* values, __global uint* places, uint k,
                    uint rows, uint columns) {
    LANES_OF_ROW
    const size_t row = ROW;
    if (row >= rows) return;
    in += row * columns;
    float last = INFINITY;
    int last_column = -1;
    for (uint found = 0; found < k; ++found) {
        floats best = (floats)-INFINITY;
        FOR_COLUMNS(i, columns, {
            const floats value = load_columns(in, i, columns, -INFINITY);
            const ints column = (int)i + LANE_NUMBERS;
            const ints behind = value < last || (value == last && column > last_column);
            best = max(best, pick((floats)-INFINITY, value, behind));
        })
        const float largest = largest_of(best JOIN_LANES);
        // The first column that has it: columns are exact as floats up to 2^24.
        floats first = (floats)INFINITY;
        FOR_COLUMNS(i, columns, {
            const floats value = load_columns(in, i, columns, -INFINITY);
            const ints column = (int)i + LANE_NUMBERS;
            const ints fits = value == largest && (largest < last || column > last_column);
            first = min(first, pick((floats)INFINITY, to_floats(column), fits));
        })
        last_column = (int)smallest_of(first JOIN_LANES);
        last = largest;
        if (FIRST_COLUMN == 0) {
            values[row * k + found] = last;
            places[row * k + found] = (uint)last_column;
        }
    }
}
