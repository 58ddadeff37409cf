// out = FUNCTION(in), one of those in vector_math.cl. In and out may be the same.
__kernel void unary(__global const float* in, __global float* out, uint rows, uint columns) {
    const size_t row = ROW;
    if (row >= rows) return;
    in += row * columns;
    out += row * columns;
    FOR_COLUMNS(i, columns, store_columns(FUNCTION(load_columns(in, i, columns, 0.0f)), out, i, columns);)
}
