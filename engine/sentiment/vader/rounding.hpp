#pragma once

#include <cmath>

namespace plimsoll::sentiment::vader {

// x rounded to the nearest multiple of 1/scale, scale a power of ten up to 10^6 and |x| <= 1: the
// exact binary value decides and exact ties go to the even digit, like Python's round and printf.
inline double round_decimal(double x, double scale) {
    const double product = x * scale;
    double whole = std::rint(product);
    // Away from a tie the product's own rounding error cannot change the result.
    if (std::fabs(product - whole) == 0.5) {
        const double error = std::fma(x, scale, -product);  // exact: product + error == x * scale
        if (error > 0) whole = std::ceil(product);
        if (error < 0) whole = std::floor(product);
    }
    return whole / scale;
}

}  // namespace plimsoll::sentiment::vader
