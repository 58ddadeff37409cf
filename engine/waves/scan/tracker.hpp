#pragma once

#include "engine/base/result.hpp"
#include "engine/waves/ranking/rank.hpp"
#include "engine/waves/search/bar_table.hpp"
#include "engine/waves/settings/settings.hpp"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace plimsoll::waves {

struct Followed;

// The cost of new bars, and of searching the whole series.
struct Effort {
    std::size_t starts = 0;    // rising and falling ones
    std::size_t searched = 0;  // starts from which something new was tried
    std::uint64_t nodes = 0;   // see Coverage
    std::uint64_t whole_nodes = 0;
};

// Keeps the counts of a growing series, every bar a start, up to date. A search that reaches the
// end of the data waits there, for the end of a wave or for a longer wave. A new bar confirms some
// ends (a peak before it, a continuing run), and the search resumes only there. It tries exactly
// what the new bar makes possible, and again the few ends at the previously last bar. The settings'
// mode, patterns, directions, up_to and weights count; windows, filters and caps do not. Memory:
// about 100 bytes per count and 32 per waiting point.
class Tracker {
  public:
    // Visits at most `max_nodes` nodes over all bars.
    explicit Tracker(Settings settings, std::uint64_t max_nodes = kAnyNodes);
    ~Tracker();
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;

    static constexpr std::uint64_t kAnyNodes = ~std::uint64_t{0};

    // Lows and highs of the next bars: positive, finite, a high at least its low. too_large: too
    // many nodes; the tracker must not be used any more.
    Result<void> append(std::span<const double> lows, std::span<const double> highs);

    // The result of a search of the whole series, best first.
    std::vector<Found> counts() const;
    std::vector<Found> open() const;                  // under way at the last bar
    const Effort& effort() const { return effort_; }  // of the last append
    std::size_t held() const;                         // counts, finished or under way
    const BarTable& table() const { return table_; }

  private:
    bool grow(bool rising, Followed& side);
    std::vector<Found> ranked(std::vector<Found> all) const;

    Settings settings_;
    std::vector<double> lows_, highs_;
    BarTable table_;
    std::unique_ptr<std::array<Followed, 2>> sides_;  // rising, falling
    std::uint64_t nodes_left_;
    Effort effort_;
};

}  // namespace plimsoll::waves
