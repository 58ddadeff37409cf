#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <vector>

namespace plimsoll::training {

// The lengths of a dataset's texts: a histogram in tokens.
struct LengthBin {
    int tokens = 0;  // of the longest text
    std::int64_t samples = 0;
};

struct Lengths {
    int longest = 0;  // after truncation; sizes the batch
    int p95 = 0;      // 95th percentile
    double mean = 0;  // after truncation
    double cut_share = 0;
};

// `cut_at`: where the tokenizer truncates; 0: never. Errors name the field below the histogram.
Result<Lengths> summarise(std::vector<LengthBin> histogram, int cut_at);

}  // namespace plimsoll::training
