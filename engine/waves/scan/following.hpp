#pragma once

#include "engine/waves/ranking/found.hpp"
#include "engine/waves/scoring/compatible_score.hpp"
#include "engine/waves/scoring/standard_score.hpp"
#include "engine/waves/scoring/unfinished.hpp"
#include "engine/waves/search/descent.hpp"

#include <vector>

namespace plimsoll::waves {

// A point where the search can resume once there are more bars.
struct Waiting {
    std::array<std::int32_t, kMaxWaves + 1> at{};  // ends of the waves before `wave`, and of it
    std::int32_t skip = 0;                         // swings skipped
    std::uint8_t wave = 0;
    std::uint8_t patterns = 0;  // patterns searched for, as bits
};

// The search state of one direction of a growing series.
struct Followed {
    std::vector<Found> finished;  // for good
    std::vector<Found> for_now;   // ends at the last bar; the next bar may move the end
    std::vector<Found> open;      // finished waves not exceeded by any bar so far
    // Keyed by the bar after which they wait, for rises and falls.
    std::array<std::vector<std::vector<Waiting>>, 2> first, next;
    std::vector<Waiting> last_bar;
    std::uint64_t nodes = 0;  // as of a search of all bars
};

// Keeps every count and every point where the search can resume.
template <const auto& F, class Score>
class Following : public SinkDefaults {
  public:
    static constexpr bool kWantsOpen = [] {
        for (const Pattern& pattern : F.patterns)
            if (pattern.open_from > 0) return true;
        return false;
    }();
    static constexpr bool kFollows = true;

    // Stops descending once `tally` exceeds this number of nodes.
    Following(Score score, bool rising, std::int32_t end, std::uint64_t most_nodes,
              const Tally<F.patterns.size()>& tally, Followed& into)
        : score_(score),
          rising_(rising),
          end_(end),
          most_nodes_(most_nodes),
          tally_(tally),
          into_(into) {}

    // Call before the search switches to another path.
    void new_path() { heads_ = 0; }

    template <int K>
    unsigned enter(const Path&, unsigned alive) {
        if constexpr (K == Score::kHead) heads_ = 0;
        return tally_.nodes > most_nodes_ ? 0 : alive;
    }

    template <std::size_t P>
    void complete(const Path& path) {
        constexpr const Pattern& kPattern = F.patterns[P];
        constexpr Shape kShape = kPattern.shape;
        if constexpr (kPattern.waves > Score::kHead) {
            if ((heads_ & (1u << P)) == 0) {
                heads_ |= 1u << P;
                score_.template head<kShape>(path);
            }
        }
        const double score = score_.template complete<kShape>(kPattern, path, kBelowAll);
        auto& counts = path.at[kPattern.waves] == end_ - 1 ? into_.for_now : into_.finished;
        counts.push_back(found(kShape, kPattern.waves, path, score));
    }

    template <std::size_t P, int K>
    void open(const Path& path) {
        constexpr const Pattern& kPattern = F.patterns[P];
        const double score = score_.total_of(unfinished_parts<kPattern.shape>(kPattern, path, K));
        into_.open.push_back(found(kPattern.shape, K, path, score));
    }

    template <int K>
    void waits_for_first(const Path& path, unsigned wanted) {
        const std::int32_t from = path.at[K - 1];
        // The preceding wave ends at the last bar, and will be visited again.
        if (K > 1 && from == end_ - 1) return;
        into_.first[K % 2][from].push_back(waiting<K>(path, 0, wanted));
    }
    template <int K>
    void waits_behind_last_bar(const Path& path, unsigned wanted) {
        into_.last_bar.push_back(waiting<K>(path, 0, wanted));
    }
    template <int K>
    void waits_for_next(const Path& path, std::int32_t skip, unsigned open) {
        into_.next[K % 2][path.at[K]].push_back(waiting<K>(path, skip, open));
    }

  private:
    static constexpr double kBelowAll = -1;

    template <int K>
    static Waiting waiting(const Path& path, std::int32_t skip, unsigned patterns) {
        static_assert(F.patterns.size() <= 8);
        return {path.at, skip, K, static_cast<std::uint8_t>(patterns)};
    }
    Found found(Shape shape, int waves, const Path& path, double score) const {
        Found it{.score = score,
                 .window_end = end_,
                 .shape = shape,
                 .rising = rising_,
                 .waves = static_cast<std::uint8_t>(waves)};
        std::copy_n(path.at.begin(), waves + 1, it.at.begin());
        return it;
    }

    Score score_;
    bool rising_;
    std::int32_t end_;
    std::uint64_t most_nodes_;
    const Tally<F.patterns.size()>& tally_;
    Followed& into_;
    unsigned heads_ = 0;  // patterns whose head is set for the current path
};

}  // namespace plimsoll::waves
