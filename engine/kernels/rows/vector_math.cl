// Elementary functions over WIDTH lanes at once (16 on processors, 1 where work-items are the lanes).
// Built-in exp, erf and tanh are scalar calls on PoCL. No option may allow reassociation: the rounding
// below depends on the order of its operations.

#if WIDTH == 16
typedef float16 floats;
typedef int16 ints;
#define to_floats(x) convert_float16(x)
#define as_floats(x) as_float16(x)
#define as_ints(x) as_int16(x)
#else
typedef float floats;
typedef int ints;
#define to_floats(x) convert_float(x)
#define as_floats(x) as_float(x)
#define as_ints(x) as_int(x)
#endif

inline floats pick(floats otherwise, floats value, ints where) {
#if WIDTH == 16
    return select(otherwise, value, where);
#else
    return where ? value : otherwise;
#endif
}

// exp(x) = 2^n exp(r) with |r| <= ln(2)/2; the polynomial is that of Cephes' expf. Below -87 the result
// is exp(-87), above 88 it is exp(88). Relative error at most 2e-7.
inline floats vector_exp(floats x) {
    // Not fmax and fmin: their rules for NaN cost several instructions each.
    x = min(max(x, (floats)-87.0f), (floats)88.0f);
    // Adding 1.5 * 2^23 leaves the nearest whole number in the low bits.
    const floats shifted = fma(x, (floats)1.44269504f, (floats)12582912.0f);
    const floats n = shifted - 12582912.0f;
    floats r = fma(n, (floats)-0.693359375f, x);
    r = fma(n, (floats)2.12194440e-4f, r);
    floats p = (floats)1.9875691500e-4f;
    p = fma(p, r, (floats)1.3981999507e-3f);
    p = fma(p, r, (floats)8.3334519073e-3f);
    p = fma(p, r, (floats)4.1665795894e-2f);
    p = fma(p, r, (floats)1.6666665459e-1f);
    p = fma(p, r, (floats)5.0000001201e-1f);
    p = fma(p, r * r, r) + 1.0f;
    return p * as_floats((as_ints(shifted) << 23) + 0x3f800000);
}

// 2^x for x <= 0, which weights are that were divided by the largest; below -125 it is 2^-125. What is between
// whole numbers by the polynomial of Cephes' exp2f. Relative error at most 2e-7.
inline floats vector_exp2_to_one(floats x) {
    x = max(x, (floats)-125.0f);
    const floats shifted = x + 12582912.0f;
    const floats r = x - (shifted - 12582912.0f);
    floats p = (floats)1.535336188319500e-4f;
    p = fma(p, r, (floats)1.339887440266574e-3f);
    p = fma(p, r, (floats)9.618437357674640e-3f);
    p = fma(p, r, (floats)5.550332471162809e-2f);
    p = fma(p, r, (floats)2.402264791363012e-1f);
    p = fma(p, r, (floats)6.931472028550421e-1f);
    p = fma(p, r, (floats)1.0f);
    return as_floats(as_ints(p) + (as_ints(shifted) << 23));
}
#define LOG2_E 1.44269504f

// Abramowitz and Stegun, formula 7.1.26. Absolute error at most 5e-7.
inline floats vector_erf(floats x) {
    const floats a = fabs(x);
    const floats t = 1.0f / fma((floats)0.3275911f, a, (floats)1.0f);
    floats p = (floats)1.061405429f;
    p = fma(p, t, (floats)-1.453152027f);
    p = fma(p, t, (floats)1.421413741f);
    p = fma(p, t, (floats)-0.284496736f);
    p = fma(p, t, (floats)0.254829592f);
    return copysign(1.0f - p * t * vector_exp2_to_one(-LOG2_E * a * a), x);
}

// Near 0 the polynomial of Cephes' tanhf, elsewhere 1 - 2 / (exp(2|x|) + 1). Relative error at most 3e-7.
inline floats vector_tanh(floats x) {
    const floats a = fabs(x);
    const floats z = x * x;
    floats p = (floats)-5.70498872745e-3f;
    p = fma(p, z, (floats)2.06390887954e-2f);
    p = fma(p, z, (floats)-5.37397155531e-2f);
    p = fma(p, z, (floats)1.33314422036e-1f);
    p = fma(p, z, (floats)-3.33332819422e-1f);
    const floats near = fma(p * z, x, x);
    const floats far = copysign(1.0f - 2.0f / (vector_exp(2.0f * a) + 1.0f), x);
    return pick(far, near, a < 0.625f);
}

// x times the normal distribution's share below x.
inline floats vector_gelu(floats x) {
    return 0.5f * x * (1.0f + vector_erf(x * 0.70710678f));
}

inline floats vector_relu(floats x) {
    return max(x, (floats)0.0f);
}
