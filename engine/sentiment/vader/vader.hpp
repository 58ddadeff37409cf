#pragma once

#include "engine/sentiment/vader/contrast.hpp"
#include "engine/sentiment/vader/tokens.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::sentiment::vader {

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
