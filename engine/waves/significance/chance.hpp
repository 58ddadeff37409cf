#pragma once

#include "engine/waves/scan/search.hpp"
#include "engine/waves/significance/surrogates.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace plimsoll::waves {

// How often chance produces an equal count: k of N chance series, searched in the same way, hold a
// count of at least the same standing (its rarity in its pattern, where known, else its score).
// Since each contributes its best count, the p-value is corrected for all counts considered (the
// maximum statistic of Westfall and Young, 1993).
struct Chance {
    std::uint32_t k = 0;       // with any pattern
    std::uint32_t k_kind = 0;  // with the same pattern and direction

    // (k + 1) / (n + 1): never 0, since the series itself is one of the n + 1.
    static double p_value(std::uint32_t k, std::uint32_t n) { return (k + 1.0) / (n + 1.0); }
};

// "chance level", "weak", "unusual" or "very unusual": p above 0.1, 0.05, 0.01, or not.
std::string_view verdict(double p_value);

// The count to judge: its score, standing and kind.
struct Judged {
    double score = 0;
    double standing = 0;
    std::size_t kind = 0;  // see kind_index
};

// Adds one surrogate, given by its best score per kind and its best standing, to `chances` (one per
// element of `judged`).
void add_chance(const std::array<double, kKinds>& scores, double highest,
                std::span<const Judged> judged, std::span<Chance> chances);

// Searches surrogates [from, to) of one series, counted from settings.first_surrogate. Adds to
// `chances` (one per element of `judged`) and sets best[i - from] to the best standing in surrogate
// i. The sums do not depend on how the range is split. The result is invalid if `watch` was
// stopped.
void add_chances(const SurrogateMaker& maker, const Series& series, const Settings& settings,
                 double week, std::uint32_t from, std::uint32_t to, std::span<const Judged> judged,
                 std::span<Chance> chances, std::span<double> best, const Watch& watch = {});

// The false discovery rate among the symbols at or below each p-value (Benjamini and Hochberg,
// 1995), in the order given.
std::vector<double> false_discovery_rates(std::span<const double> p_values);

}  // namespace plimsoll::waves
