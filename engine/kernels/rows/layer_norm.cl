// The rows of in (+ residual, when RESIDUAL), normalised. out may be in or residual. When COPY, on GPUs, once more in
// bf16.
__kernel void layer_norm(__global const float* in, __global const float* residual, __global float* out,
                         __global ushort* copy, __global const float* gain, __global const float* shift,
                         float epsilon, uint rows, uint columns) {
    LANES_OF_ROW
    const size_t row = ROW;
    if (row >= rows) return;
    in += row * columns;
    out += row * columns;
#if RESIDUAL
    residual += row * columns;
    // Every lane reads again only what it wrote itself.
    FOR_COLUMNS(i, columns, {
        const floats value = load_columns(in, i, columns, 0.0f) + load_columns(residual, i, columns, 0.0f);
        store_columns(value, out, i, columns);
    })
    in = out;
#endif
    normalise_row(in, out, gain, shift, epsilon, columns JOIN_LANES);
#if COPY
    copy += row * columns;
    FOR_COLUMNS(i, columns, copy[i] = to_bf16(out[i]);)
#endif
}
