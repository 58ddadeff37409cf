#pragma once

#include "engine/base/result.hpp"
#include "engine/base/watch.hpp"
#include "engine/waves/ranking/rank.hpp"
#include "engine/waves/scan/itinerary.hpp"
#include "engine/waves/scoring/rarity.hpp"

#include <map>
#include <numeric>
#include <span>
#include <string>

namespace plimsoll::waves {

inline constexpr std::size_t kKinds = 2 * kShapes;  // shape and direction
constexpr std::size_t kind_index(Shape shape, bool rising) {
    return static_cast<std::size_t>(shape) * 2 + (rising ? 0 : 1);
}

// The extent of a search. All numbers are sums, equal for any number of threads.
struct Coverage {
    std::uint64_t starts = 0;
    std::uint64_t windows = 0;
    std::uint64_t nodes = 0;  // wave ends tried; results of an earlier window
                              // are reused
    std::map<std::string, std::uint64_t, std::less<>> pruned;  // nodes that broke the rule
    std::array<std::uint64_t, kKinds> valid{};                 // counts, once per window
    std::uint64_t quiet_windows = 0;  // skipped by the filters, see Settings
    std::uint64_t filtered_starts = 0;
    std::uint64_t cut_windows = 0;  // ended by max_combinations
    std::uint64_t cut_chains = 0;   // ended by up_to
    bool all_windows = true;

    // Every valid count of every window and start was seen.
    bool complete() const {
        return all_windows && cut_windows == 0 && cut_chains == 0 && quiet_windows == 0 &&
               filtered_starts == 0;
    }
    std::uint64_t valid_counts() const { return std::accumulate(valid.begin(), valid.end(), 0ULL); }
    void add(const Coverage& other);

    static void members(auto& visit, auto& self) {
        visit("starts", self.starts);
        visit("windows", self.windows);
        visit("nodes", self.nodes);
        visit("pruned", self.pruned);
        visit("valid", self.valid);
        visit("quiet_windows", self.quiet_windows);
        visit("filtered_starts", self.filtered_starts);
        visit("cut_windows", self.cut_windows);
        visit("cut_chains", self.cut_chains);
        visit("all_windows", self.all_windows);
    }
};

// The rarity that ranks counts of a search in windows of `window` bars: see Settings::by_rarity().
// Assumes that the search starts from every bar; otherwise all patterns are rarer by the same
// factor.
Rarity rarity_of(const BarTable& table, std::int32_t window, const Settings& settings);
Rarity rarity_of(std::span<const double> lows, std::span<const double> highs, std::int32_t window,
                 const Settings& settings);

// Minimum number of counts under way that a search keeps: they are few.
inline constexpr std::size_t kOpenKept = 1024;

struct SearchResult {
    std::vector<Found> counts;          // valid counts, best first: the pool's content
    std::vector<Found> open;            // unfinished at the end of the series, best first
    bool more = false;                  // the pool was too small for all
    std::array<double, kKinds> best{};  // best score of each kind; -1: none
    Coverage coverage;
};

// Searches one series for all counts that the settings select. Keeps the best `keep`, and at least
// as many unfinished ones. `cancelled` when `watch` is stopped.
Result<SearchResult> search(const BarTable& table, const Itinerary& itinerary,
                            const Settings& settings, std::size_t keep, const Watch& watch = {});

// Only the best score of each kind (-1: none), with branch and bound: much faster, for chance
// series. Equal to SearchResult::best; a partial result when `watch` is stopped.
std::array<double, kKinds> best_scores(const BarTable& table, const Itinerary& itinerary,
                                       const Settings& settings, const Watch& watch = {});

// The highest standing among the best scores of the kinds; kNoStanding if there is none.
inline constexpr double kNoStanding = -1e9;
double best_standing(const std::array<double, kKinds>& scores, const Rarity& rarity);

}  // namespace plimsoll::waves
