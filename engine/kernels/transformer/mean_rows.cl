// Row r of out is the mean of the rows offsets[r] to offsets[r + 1] - 1 of in, scaled to a length of 1.
__kernel void mean_rows(__global const float* in, __global const uint* offsets, __global float* out, uint rows,
                        uint columns) {
    LANES_OF_ROW
    const size_t row = ROW;
    if (row >= rows) return;
    const uint first = offsets[row];
    const uint end = offsets[row + 1];
    out += row * columns;
    floats squares = (floats)0.0f;
    FOR_COLUMNS(i, columns, {
        floats sum = (floats)0.0f;
        for (uint r = first; r < end; ++r) sum += load_columns(in + (size_t)r * columns, i, columns, 0.0f);
        sum /= (float)(end - first);
        squares = fma(sum, sum, squares);
        store_columns(sum, out, i, columns);
    })
    // Every lane reads again only what it wrote itself.
    const float length = sqrt(sum_of(squares JOIN_LANES));
    const float scale = length > 0.0f ? 1.0f / length : 0.0f;
    FOR_COLUMNS(i, columns, store_columns(load_columns(out, i, columns, 0.0f) * scale, out, i, columns);)
}
