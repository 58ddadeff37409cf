#pragma once

#include "engine/sentiment/vader/tokens.hpp"
#include "engine/sentiment/vader/valence.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

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

struct Scores {
    double neg = 0;  // shares of the text, 0..1, three decimals
    double neu = 0;
    double pos = 0;
    double compound = 0;  // -1 (most negative) to 1, four decimals
};

// Scores English texts with VADER (Hutto and Gilbert, ICWSM 2014), equal bit for bit to the Python
// reference at commit 44fc044. Keeps its working memory between texts: use one scorer per thread.
class Scorer {
  public:
    // Broken UTF-8 counts as U+FFFD. An empty text scores zeros.
    Scores score(std::string_view utf8);

  private:
    std::string expanded_;
    Tokens tokens_;
    std::vector<Contribution> contributions_;
};

}  // namespace plimsoll::sentiment::vader
