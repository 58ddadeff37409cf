#pragma once

#include "engine/waves/ranking/outlook.hpp"
#include "engine/waves/ranking/rank.hpp"
#include "engine/waves/scan/search.hpp"
#include "engine/waves/series/price_rows.hpp"
#include "engine/waves/significance/chance.hpp"

#include <optional>

namespace plimsoll::waves {

// The check of one rule of a count.
struct RuleMargin {
    std::string_view name;
    std::string text;
    std::optional<double> margin;  // see margin(); none for rules about the order of bars
};

struct CountReport {
    Found count;
    std::vector<double> prices;  // at its ends
    std::vector<int> skips;      // of its waves
    Parts parts;
    std::vector<RuleMargin> rules;
    Outlook outlook;
    std::vector<Found> alternates;
    std::optional<Chance> chance;  // of finished counts, if surrogates were requested
};

// The best count of one pattern and direction, for overviews of many symbols.
struct KindReport {
    Shape shape = Shape::impulse;
    bool rising = true;
    std::uint64_t valid = 0;
    double best = -1;              // score; -1: none
    double standing = 0;           // of the best
    std::optional<Chance> chance;  // of the best
};

// The result for one symbol: either `errors` or the rest.
struct SymbolReport {
    std::string symbol;
    std::vector<RowError> errors;
    std::uint64_t error_count = 0;

    Series series;           // the searched part: its last `days`
    std::size_t offset = 0;  // bars of the file before `series`; indices in counts start after them
    SeriesFlags flags;
    std::vector<CountReport> live;    // at the last bar, best first: see Outlook::live. Those of
                                      // the lists below, and others that these have no room for
    std::vector<CountReport> counts;  // finished, best first
    std::vector<CountReport> open;    // under way at the end of the series
    std::vector<KindReport> kinds;
    Coverage coverage;
    bool by_rarity = false;    // standings are rarities, else scores
    bool ranking_cut = false;  // not all counts were ranked
    std::uint32_t surrogates = 0;
    std::vector<double> chance_best;  // ascending best standings of the surrogates that hold a
                                      // count
    std::optional<double> false_discovery_rate;  // of the best count, over all symbols
    double seconds = 0;                          // CPU time of the search
    std::string computed_by = "processor";       // or the name of the device
    std::string computed_why;                    // reason, if there was a choice

    bool ok() const { return error_count == 0; }
};

// Most counts that a ranking considers: only reached where almost all overlap.
inline constexpr std::size_t kMaxCandidates = 1 << 20;
// Longer series must be searched in windows, or in part (see the setting `days`).
inline constexpr std::size_t kMaxBarsWhole = 100'000;
inline constexpr std::size_t kMaxBars = 2'000'000;

}  // namespace plimsoll::waves
