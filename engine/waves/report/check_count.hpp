#pragma once

#include "engine/base/result.hpp"
#include "engine/waves/ranking/outlook.hpp"
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
    int waves = 0;      // that have an end
    int all_waves = 0;  // of the pattern
    // Of these waves; the remaining ones follow with further ends.
    std::vector<CheckedRule> rules;
    bool valid = false;          // all of them hold: the search would find it, given its start
    std::vector<double> prices;  // at the ends
    std::vector<int> skips;      // of each wave; -1: its end is not the end of a simple wave
    // Of a valid count that has all ends.
    std::optional<Parts> parts;
    std::optional<double> score;
    std::optional<double> rarity;  // where scores have one, see Settings::by_rarity()
    std::optional<Outlook> outlook;

    bool whole() const { return waves == all_waves; }
};

// `ends`: bars of the series, the start first, rising; fewer than the pattern has are a count under
// way. With settings.days, only the last so many days count, as in a search. Fails when the mode
// has no such pattern ("/pattern"), there are too few or too many ends
// ("/ends"), or one does not lie in the series behind the one before ("/ends/3").
Result<CheckedCount> check_count(const Series& series, Shape shape, bool rising,
                                 std::span<const std::int32_t> ends, const Settings& settings);

}  // namespace plimsoll::waves
