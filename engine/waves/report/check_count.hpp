#pragma once

#include "engine/base/result.hpp"
#include "engine/waves/scoring/parts.hpp"
#include "engine/waves/search/pattern.hpp"
#include "engine/waves/series/series.hpp"
#include "engine/waves/settings/settings.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::waves {

struct CheckedRule {
    std::string name;
    std::string text;
    bool holds = false;
    std::optional<double> margin;  // see margin()
};

// A count that somebody drew, judged rule by rule.
struct CheckedCount {
    std::vector<CheckedRule> rules;
    bool valid = false;          // all hold: the search would find it, given its start
    std::vector<double> prices;  // at the ends
    std::vector<int> skips;      // of each wave; -1: its end is not the end of a simple wave
    std::optional<Parts> parts;  // where it is valid
    std::optional<double> score;
};

// `ends`: bars of the series, the start first, rising. Fails when the mode has no such pattern,
// their number is not the pattern's, or they are not in order within the series.
Result<CheckedCount> check_count(const Series& series, Shape shape, bool rising,
                                 std::span<const std::int32_t> ends, const Settings& settings);

}  // namespace plimsoll::waves
