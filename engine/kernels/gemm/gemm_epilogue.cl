// What becomes of the sums of A B at c[column…] of one row: they are kept there and, when `last`, + bias (BIAS), GELU
// (GELU), + residual (RESIDUAL).
inline void finish_sums(floats value, __global float* c, __global const float* bias,
                        __global const float* residual, uint column, uint n, int last) {
    if (column >= n) return;
    if (last) {
#if BIAS
        value += load_columns(bias, column, n, 0.0f);
#endif
#if GELU
        value = vector_gelu(value);
#endif
#if RESIDUAL
        value += load_columns(residual, column, n, 0.0f);
#endif
    }
    store_columns(value, c, column, n);
}
