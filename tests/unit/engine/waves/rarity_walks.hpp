#pragma once

#include "engine/waves/scoring/rarity_table.hpp"
#include "engine/waves/search/patterns.hpp"
#include "tests/unit/engine/waves/all_counts.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <cmath>
#include <map>

// Measures the table of rarities on random walks: how many counts they hold by the length of the
// walk, and the distribution of their scores.
namespace plimsoll::waves::testing {

// Walks for the numbers of each length, and more of one length for the scores, because high scores
// are rare.
struct RarityWalks {
    std::array<int, kRarityLengths.size()> of_length;
    int for_scores;
};
inline constexpr RarityWalks kRarityWalks{{6000, 3000, 1500, 800, 400, 150, 40}, 10'000};
inline constexpr std::size_t kScoredBars = 500;
// A share that fewer counts reach is omitted.
inline constexpr std::size_t kMinScores = 30;

using Stage = std::pair<Shape, int>;  // of a pattern: its finished waves
using Scores = std::map<Stage, std::vector<double>>;

inline Scores scores_of_walks(std::uint64_t first_seed, int walks, std::size_t bars, Kind kind) {
    Scores scores;
    for (int walk = 0; walk < walks; ++walk) {
        const auto series =
            random_series(first_seed + static_cast<std::uint64_t>(walk), bars, kind);
        const auto found = all_counts(series, {});
        for (const auto* counts : {&found.counts, &found.open})
            for (const Found& it : *counts) scores[{it.shape, it.waves}].push_back(it.score);
    }
    return scores;
}

inline std::vector<RarityRow> measured_rows(const RarityWalks& walks) {
    std::vector<RarityRow> rows;
    for (const Pattern& pattern : standard::kPatterns.patterns)
        for (int waves = pattern.open_from > 0 ? pattern.open_from : pattern.waves;
             waves <= pattern.waves; ++waves)
            rows.push_back({pattern.shape, waves, waves == pattern.waves, {}, {}, {}});
    for (std::size_t i = 0; i < kRarityLengths.size(); ++i) {
        for (const Kind kind : {Kind::ohlc, Kind::close_only}) {
            const auto bars = static_cast<std::size_t>(kRarityLengths[i]);
            auto scores = scores_of_walks(1'000'000 * (i + 1), walks.of_length[i], bars, kind);
            // Both directions, which are equally likely.
            for (RarityRow& row : rows)
                (kind == Kind::ohlc ? row.of_bars : row.of_closes)[i] =
                    std::log(static_cast<double>(scores[{row.shape, row.waves}].size()) /
                             (2.0 * walks.of_length[i]));
        }
    }
    Scores scores;
    for (const Kind kind : {Kind::ohlc, Kind::close_only})
        for (auto& [pattern, more] :
             scores_of_walks(100'000'000 + (kind == Kind::ohlc ? 0 : 1'000'000),
                             walks.for_scores / 2, kScoredBars, kind))
            scores[pattern].insert(scores[pattern].end(), more.begin(), more.end());
    for (RarityRow& row : rows) {
        auto& it = scores[{row.shape, row.waves}];
        std::ranges::sort(it, std::greater<>());
        for (std::size_t step = 1; step < kRaritySteps; ++step) {
            const auto reaching = static_cast<std::size_t>(static_cast<double>(it.size()) *
                                                           std::exp(-static_cast<double>(step)));
            if (reaching < kMinScores) break;
            row.reached[step] = it[reaching];
        }
    }
    return rows;
}

}  // namespace plimsoll::waves::testing
