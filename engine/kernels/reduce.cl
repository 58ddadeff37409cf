// One number a row: REDUCE is sum_of, largest_of or smallest_of; PAIR joins two vectors of lanes, NEUTRAL
// changes nothing.
__kernel void reduce(__global const float* in, __global float* out, uint rows, uint columns) {
    LANES_OF_ROW
    const size_t row = ROW;
    if (row >= rows) return;
    in += row * columns;
    floats joined = (floats)NEUTRAL;
    FOR_COLUMNS(i, columns, joined = PAIR(joined, load_columns(in, i, columns, NEUTRAL));)
    const float result = REDUCE(joined JOIN_LANES);
    if (FIRST_COLUMN == 0) out[row] = result;
}
