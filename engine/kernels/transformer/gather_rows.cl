// Row r of out is row `chosen[r]` of in.
__kernel void gather_rows(__global const float* in, __global const uint* chosen, __global float* out, uint rows,
                          uint columns) {
    const size_t row = ROW;
    if (row >= rows) return;
    in += (size_t)chosen[row] * columns;
    out += row * columns;
    FOR_COLUMNS(i, columns, store_columns(load_columns(in, i, columns, 0.0f), out, i, columns);)
}
