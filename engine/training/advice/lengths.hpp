#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <vector>

namespace plimsoll::training {

// How long the texts of a data set are: a histogram in tokens.
struct LengthBin {
    int tokens = 0;  // of its longest text
    std::int64_t samples = 0;
};

struct Lengths {
    int longest = 0;  // what a batch must have room for, after cutting
    int p95 = 0;      // 95 % of the texts are no longer
    double mean = 0;  // of the texts as cut
    double cut_share = 0;
};

// `cut_at`: where the tokenizer truncates; 0 = nowhere. Errors name the field below the histogram.
Result<Lengths> summarise(std::vector<LengthBin> histogram, int cut_at);

}  // namespace plimsoll::training
