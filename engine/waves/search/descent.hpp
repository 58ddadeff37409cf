#pragma once

#include "engine/waves/search/path.hpp"
#include "engine/waves/search/plan.hpp"

#include <cstdint>
#include <limits>

namespace plimsoll::waves {

// How much a search looked at, and what cut it short. Sums over starts, windows and threads.
template <std::size_t N>
struct Tally {
    std::uint64_t nodes = 0;                                       // ends of waves tried
    std::array<std::array<std::uint64_t, kMaxRules>, N> pruned{};  // nodes that broke the rule
    std::array<std::uint64_t, N> complete{};                       // counts found
    std::uint64_t capped = 0;                                      // chains cut by `up_to`
};

// What the search meets on its way, with defaults that do nothing. P is a pattern of the family.
struct SinkDefaults {
    static constexpr bool kWantsOpen = false;  // unfinished counts, see open()
    // A path of K waves survived for the patterns `alive`; returns those worth going on with.
    template <int K>
    unsigned enter(const Path&, unsigned alive) {
        return alive;
    }
    template <std::size_t P>
    void complete(const Path&) {}
    // K waves are finished and no bar to the end of the window goes beyond the last end.
    template <std::size_t P, int K>
    void open(const Path&) {}
};

// Depth-first search over all counts of a family from one start: every rule is tried as soon as its
// waves are known, and a rule that longer waves cannot mend ends the whole chain of ends.
// Exhaustive: what it passes over breaks a rule. Allocates nothing.
template <const auto& F, class Sink>
class Descent {
    static constexpr std::size_t kPatterns = F.patterns.size();

  public:
    using Counters = Tally<kPatterns>;

    // `end`: bars from there on do not exist. `up_to`: at most so many ends a chain, at least 1.
    Descent(std::span<const Bar> bars, std::int32_t end, std::int32_t up_to, Counters& tally,
            Sink& sink)
        : bars_(bars.data()), end_(end), up_to_(up_to), tally_(tally), sink_(sink) {
        path_.bars = bars_;
    }

    // `wanted`: bits of the patterns to look for. Returns how long the result stands: it is the
    // same for every window of these bars that ends later, but not behind that bar.
    std::int32_t from(std::int32_t start, unsigned wanted) {
        same_until_ = kNever;
        met_end_ = false;
        if constexpr (F.swing_start) {
            if (start > 0 && bars_[start - 1].low < bars_[start].low) return same_until_;
        }
        path_.start(start);
        wave<1>(wanted);
        return same_until_;
    }

    // Whether the last search looked at the end of its window: if not, bars behind it change
    // nothing.
    bool met_end() const { return met_end_; }

  private:
    template <int K>
    void wave(unsigned wanted) {
        constexpr bool kRise = K % 2 == 1;
        constexpr Guard kGuard = kRise ? F.rises : F.falls;
        const Bar& from = bars_[path_.at[K - 1]];
        const Link& origin = kRise ? from.rise : from.fall;
        if (origin.first_known >= end_) return hidden(origin.first_known);
        const std::int32_t breach = kRise ? from.undercut : from.overshoot;
        std::int32_t skip = kRise ? from.rise_first_skip : from.fall_first_skip;
        std::int32_t at = origin.first;
        if (at >= end_) {  // the window ends a shortest wave before its time
            at = end_ - 1;
            hidden(end_);
        }
        if (at == end_ - 1) met_end_ = true;  // a run that may go on
        unsigned open = wanted;
        while (true) {
            if (skip >= up_to_) {
                ++tally_.capped;
                return;
            }
            if (kGuard == Guard::always || (kGuard == Guard::when_skipping && skip > 0)) {
                if (at > breach) return;
            }
            ++tally_.nodes;
            path_.end(K, at);
            const unsigned alive = tried<K>(open);
            if (open == 0) return;
            if (alive != 0) survived<K>(alive);
            const Link& onward = kRise ? bars_[at].rise : bars_[at].fall;
            if (onward.next_known >= end_) return hidden(onward.next_known);
            at = onward.next;
            ++skip;
        }
    }

    // What becomes known at this bar was not seen: windows that end behind it may hold more.
    void hidden(std::int32_t known) {
        met_end_ = true;
        if (known < same_until_) same_until_ = known;
    }

    // The patterns of `open` whose rules for wave K hold; takes those from `open` that no longer
    // form of the wave can satisfy.
    template <int K>
    [[gnu::always_inline]] unsigned tried(unsigned& open) {
        unsigned alive = open;
        plan::each<kPatterns>([&](auto p) __attribute__((always_inline)) {
            constexpr std::size_t P = p;
            constexpr unsigned kGroup = plan::group(F.patterns, P, K);
            if constexpr (kGroup != 0) {
                if ((alive & kGroup) == 0) return;
                bool good = true;
                plan::each<static_cast<std::size_t>(F.patterns[P].rule_count)>(
                    [&](auto r) __attribute__((always_inline)) {
                        constexpr const Rule& kRule = F.patterns[P].rules[r];
                        if constexpr (kRule.depth() == K) {
                            if (!good || holds(kRule, path_)) return;
                            good = false;
                            ++tally_.pruned[P][r];
                            if constexpr (plan::final_when_broken(kRule)) open &= ~kGroup;
                        }
                    });
                if (!good) alive &= ~kGroup;
            }
        });
        return alive;
    }

    template <int K>
    [[gnu::always_inline]] void survived(unsigned alive) {
        plan::each<kPatterns>([&](auto p) __attribute__((always_inline)) {
            constexpr std::size_t P = p;
            constexpr const Pattern& kPattern = F.patterns[P];
            if constexpr (kPattern.waves == K) {
                if (alive & (1u << P)) {
                    ++tally_.complete[P];
                    sink_.template complete<P>(path_);
                }
            } else if constexpr (Sink::kWantsOpen && kPattern.open_from > 0 &&
                                 K >= kPattern.open_from && K < kPattern.waves) {
                if ((alive & (1u << P)) && path_.breach(K) >= end_ && path_.at[K] < end_ - 1)
                    sink_.template open<P, K>(path_);
            }
        });
        if constexpr (constexpr unsigned kLonger = plan::with_waves(F.patterns, K + 1, true);
                      kLonger != 0) {
            alive &= kLonger;
            if (alive != 0) alive = sink_.template enter<K>(path_, alive);
            if (alive != 0) wave<K + 1>(alive);
        }
    }

    const Bar* bars_;
    std::int32_t end_;
    std::int32_t up_to_;
    Counters& tally_;
    Sink& sink_;
    std::int32_t same_until_ = kNever;
    bool met_end_ = false;
    Path path_;
};

}  // namespace plimsoll::waves
