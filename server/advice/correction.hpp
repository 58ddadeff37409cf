#pragma once

#include "server/advice/records.hpp"

#include <string_view>
#include <vector>

namespace plimsoll::advice {

// What real runs took, against what was predicted.
struct Correction {
    double factor = 1;  // on reserved memory; between 0.2 and 5
    std::vector<Measurement> evidence;
};

// The median of measured over predicted, of the newest measurements that are like the run. One
// measurement is enough: it is worth more than none, and it is shown. Without any the factor is 1.
Correction correct(const std::vector<Measurement>& newest_first, std::string_view comparison_key);

constexpr std::size_t kMostEvidence = 20;

}  // namespace plimsoll::advice
