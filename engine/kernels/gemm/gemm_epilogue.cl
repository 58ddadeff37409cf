// What becomes of the sums of A B at c[column…] of one row: they are kept there and, when `last`, + bias (BIAS), GELU
// (GELU), + residual (RESIDUAL). When NARROW_C, they are rounded to bf16.
#if NARROW_C
typedef ushort c_number;
#define STORE_SUMS store_rounded
#else
typedef float c_number;
#define STORE_SUMS store_columns
#endif

inline void finish_sums(floats value, __global c_number* c, __global const float* bias,
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
    STORE_SUMS(value, c, column, n);
}
