// exp(x - largest) / sum of these, by rows. In and out may be the same.
__kernel void softmax(__global const float* in, __global float* out, uint rows, uint columns) {
    LANES_OF_ROW
    const size_t row = ROW;
    if (row >= rows) return;
    in += row * columns;
    out += row * columns;
    floats most = (floats)-INFINITY;
    FOR_COLUMNS(i, columns, most = max(most, load_columns(in, i, columns, -INFINITY));)
    const float largest = largest_of(most JOIN_LANES) * LOG2_E;
    floats total = (floats)0.0f;
    FOR_COLUMNS(i, columns, {
        const floats x = load_columns(in, i, columns, -INFINITY);
        const floats value = vector_exp2_to_one(fma(x, (floats)LOG2_E, (floats)-largest));
        total += value;
        store_columns(value, out, i, columns);
    })
    const float scale = 1.0f / sum_of(total JOIN_LANES);
    FOR_COLUMNS(i, columns, store_columns(load_columns(out, i, columns, 0.0f) * scale, out, i, columns);)
}
