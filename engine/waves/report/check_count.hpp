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

// A count drawn by a user, checked rule by rule.
struct CheckedCount {
    int waves = 0;      // with an end
    int all_waves = 0;  // of the pattern
    // Rules of these waves; later rules need further ends.
    std::vector<CheckedRule> rules;
    bool valid = false;          // all rules hold: the search would find it, given its start
    std::vector<double> prices;  // at the ends
    std::vector<int> skips;      // per wave; -1: its end is not the end of a simple wave
    // For a valid count with all ends.
    std::optional<Parts> parts;
    std::optional<double> score;
    std::optional<double> rarity;  // where scores have a rarity, see Settings::by_rarity()
    std::optional<Outlook> outlook;

    bool whole() const { return waves == all_waves; }
};

// `ends`: bars of the series, ascending, the start first; fewer than the pattern has make a count
// under way. With settings.days, only that many of the most recent days are used, as in a search.
// Fails when the mode has no such pattern ("/pattern"), there are too few or too many ends
// ("/ends"), or one is outside the series or not after its predecessor ("/ends/3").
Result<CheckedCount> check_count(const Series& series, Shape shape, bool rising,
                                 std::span<const std::int32_t> ends, const Settings& settings);

}  // namespace plimsoll::waves
