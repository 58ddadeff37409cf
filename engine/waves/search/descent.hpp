#pragma once

#include "engine/waves/search/path.hpp"
#include "engine/waves/search/plan.hpp"

#include <cstdint>

namespace plimsoll::waves {

// Work of a search, and where it was limited. Sums over starts, windows and threads.
template <std::size_t N>
struct SearchCounters {
    std::uint64_t nodes = 0;                                       // ends of waves tried
    std::array<std::array<std::uint64_t, kMaxRules>, N> pruned{};  // nodes that broke the rule
    std::array<std::uint64_t, N> complete{};                       // counts found
    std::uint64_t capped = 0;                                      // chains cut by `up_to`
};

// The callbacks of a search, with defaults that do nothing. P is a pattern of the family.
struct SinkDefaults {
    static constexpr bool kWantsOpen = false;  // unfinished counts, see open()
    static constexpr bool kFollows = false;    // the data will grow, see waits_*()
    // A path of K waves is valid for the patterns `alive`; returns those worth extending.
    template <int K>
    unsigned enter(const Path&, unsigned alive) {
        return alive;
    }
    template <std::size_t P>
    void complete(const Path&) {}
    // K waves are finished and no bar up to the end of the window exceeds the last end.
    template <std::size_t P, int K>
    void open(const Path&) {}
    // Points where the search can resume once there are more bars: wave K has no end yet, or its
    // end is the last bar, which may still move (then that node is visited again, see
    // Descent::again()).
    template <int K>
    void waits_for_first(const Path&, unsigned /*wanted*/) {}
    template <int K>
    void waits_behind_last_bar(const Path&, unsigned /*wanted*/) {}
    // Wave K ends where the path says, after skipping this many swings; longer ones are not known
    // yet.
    template <int K>
    void waits_for_next(const Path&, std::int32_t /*skip*/, unsigned /*open*/) {}
};

// Depth-first search over all counts of a family from one start: every rule is tested as soon as
// its waves are known, and a broken rule that longer waves cannot satisfy ends the whole chain of
// ends. Exhaustive: everything skipped breaks a rule. Allocates nothing.
template <const auto& F, class Sink>
class Descent {
    static constexpr std::size_t kPatterns = F.patterns.size();
    using Ends = std::array<std::int32_t, kMaxWaves + 1>;

  public:
    using Counters = SearchCounters<kPatterns>;

    // `end`: one past the last bar. `up_to`: most ends per chain, at least 1.
    Descent(std::span<const Bar> bars, std::int32_t end, std::int32_t up_to, Counters& counters,
            Sink& sink)
        : bars_(bars.data()), end_(end), up_to_(up_to), counters_(counters), sink_(sink) {
        path_.bars = bars_;
    }

    // `wanted`: bits of the patterns to search for. Returns the bar up to which the result is
    // valid: it is the same for every longer window that ends at or before that bar.
    std::int32_t from(std::int32_t start, unsigned wanted) {
        same_until_ = kNever;
        if constexpr (F.swing_start) {
            if (start > 0 && bars_[start - 1].low < bars_[start].low) return same_until_;
        }
        path_.start(start);
        wave<1>(wanted);
        return same_until_;
    }

    // Resumes at a waiting point reported to the sink, with more bars: wave `wave` of this path,
    // whose earlier ends are known, from its first end on ...
    void again(const Ends& ends, int wave, unsigned wanted) {
        at_wave(ends, wave, [&](auto k) { this->template wave<k>(wanted); });
    }
    // ... or with the waves after its end there.
    void onward(const Ends& ends, int wave, std::int32_t skip, unsigned open) {
        at_wave(ends, wave, [&](auto k) {
            const Bar& end = bars_[ends[k]];
            chain<k>((k % 2 == 1 ? end.rise : end.fall).next, skip + 1, open);
        });
    }

  private:
    template <class Use>
    void at_wave(const Ends& ends, int wave, Use&& use) {
        path_.start(ends[0]);
        for (int i = 1; i < wave; ++i) path_.end(i, ends[i]);
        plan::each<kMaxWaves>([&](auto k) {
            if (wave == static_cast<int>(k) + 1)
                use(std::integral_constant<int, static_cast<int>(k) + 1>{});
        });
    }

    template <int K>
    void wave(unsigned wanted) {
        constexpr bool kRise = K % 2 == 1;
        const Bar& from = bars_[path_.at[K - 1]];
        const Link& origin = kRise ? from.rise : from.fall;
        if (origin.first_known >= end_) {
            sink_.template waits_for_first<K>(path_, wanted);
            return hidden(origin.first_known);
        }
        std::int32_t at = origin.first;
        if (at >= end_) {  // the window cuts a shortest wave
            at = end_ - 1;
            hidden(end_);
        }
        chain<K>(at, kRise ? from.rise_first_skip : from.fall_first_skip, wanted);
    }

    // Tries wave K with this end and all longer ones.
    template <int K>
    [[gnu::always_inline]] void chain(std::int32_t at, std::int32_t skip, unsigned wanted) {
        constexpr bool kRise = K % 2 == 1;
        constexpr Guard kGuard = kRise ? F.rises : F.falls;
        const Bar& from = bars_[path_.at[K - 1]];
        const std::int32_t breach = kRise ? from.undercut : from.overshoot;
        unsigned open = wanted;
        while (true) {
            if (skip >= up_to_) {
                ++counters_.capped;
                return;
            }
            if (kGuard == Guard::always || (kGuard == Guard::when_skipping && skip > 0)) {
                if (at > breach) return;
            }
            ++counters_.nodes;
            path_.end(K, at);
            const unsigned alive = tried<K>(open);
            if constexpr (Sink::kFollows) {
                if (at == end_ - 1) {  // a run that may continue
                    sink_.template waits_behind_last_bar<K>(path_, wanted);
                    if (alive != 0) survived<K>(alive);
                    return;
                }
            }
            if (open == 0) return;
            if (alive != 0) survived<K>(alive);
            const Link& onward = kRise ? bars_[at].rise : bars_[at].fall;
            if (onward.next_known >= end_) {
                sink_.template waits_for_next<K>(path_, skip, open);
                return hidden(onward.next_known);
            }
            at = onward.next;
            ++skip;
        }
    }

    // Ends that become final at this bar were not visited: windows that end after it may hold more.
    void hidden(std::int32_t known) {
        if (known < same_until_) same_until_ = known;
    }

    // The patterns of `open` whose rules for wave K hold; removes from `open` those that no longer
    // wave can satisfy.
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
                            ++counters_.pruned[P][r];
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
                    ++counters_.complete[P];
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
    Counters& counters_;
    Sink& sink_;
    std::int32_t same_until_ = kNever;
    Path path_;
};

}  // namespace plimsoll::waves
