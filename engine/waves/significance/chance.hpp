#pragma once

#include "engine/waves/scan/search.hpp"
#include "engine/waves/significance/surrogates.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace plimsoll::waves {

// How often chance does as well: of N chance series searched in the same way, k hold a count that
// stands at least as high: is as rare in its pattern, where that is known, else scores as high.
// Since each contributes its best count, the p-value is corrected for all the counts that were
// looked at (the maximum statistic of Westfall and Young, 1993).
struct Chance {
    std::uint32_t k = 0;       // with any pattern
    std::uint32_t k_kind = 0;  // with the same pattern and direction

    // (k + 1) / (n + 1): never 0, since the series itself is one of the n + 1.
    static double p_value(std::uint32_t k, std::uint32_t n) { return (k + 1.0) / (n + 1.0); }
};

// "chance level", "weak", "unusual" or "very unusual": p above 0.1, 0.05, 0.01, or not.
std::string_view verdict(double p_value);

// What is to be judged: a count's score, how it stands, and of which kind it is.
struct Judged {
    double score = 0;
    double standing = 0;
    std::size_t kind = 0;  // see kind_index
};

// Adds one surrogate to `chances`, one for each of `judged`: the best scores of the kinds in it,
// and the best standing.
void add_chance(const std::array<double, kKinds>& scores, double highest,
                std::span<const Judged> judged, std::span<Chance> chances);

// Surrogates `from` to `to` of one series, counted from settings.first_surrogate. Adds to
// `chances`, one for each of `judged`, and sets best[i - from] to the best standing in surrogate i.
// Split in any way, the sums are the same. Of no use when `watch` was stopped.
void add_chances(const SurrogateMaker& maker, const Series& series, const Settings& settings,
                 double week, std::uint32_t from, std::uint32_t to, std::span<const Judged> judged,
                 std::span<Chance> chances, std::span<double> best, const Watch& watch = {});

// The share of false discoveries among the symbols at or below each p-value (Benjamini and
// Hochberg, 1995), in the order given.
std::vector<double> false_discovery_rates(std::span<const double> p_values);

}  // namespace plimsoll::waves
