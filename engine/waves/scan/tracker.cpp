#include "engine/waves/scan/tracker.hpp"

#include "engine/waves/ranking/rank.hpp"
#include "engine/waves/scan/count_parts.hpp"
#include "engine/waves/scan/search.hpp"
#include "engine/waves/scan/wanted.hpp"
#include "engine/waves/scoring/compatible_score.hpp"
#include "engine/waves/scoring/standard_score.hpp"
#include "engine/waves/scoring/unfinished.hpp"
#include "engine/waves/search/descent.hpp"
#include "engine/waves/search/patterns.hpp"

#include <algorithm>
#include <utility>
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

namespace {

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

    // Stops descending once `counters` exceeds this number of nodes.
    Following(Score score, bool rising, std::int32_t end, std::uint64_t max_nodes,
              const SearchCounters<F.patterns.size()>& counters, Followed& into)
        : score_(score),
          rising_(rising),
          end_(end),
          max_nodes_(max_nodes),
          counters_(counters),
          into_(into) {}

    // Call before the search switches to another path.
    void new_path() { heads_ = 0; }

    template <int K>
    unsigned enter(const Path&, unsigned alive) {
        if constexpr (K == Score::kHead) heads_ = 0;
        return counters_.nodes > max_nodes_ ? 0 : alive;
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
    std::uint64_t max_nodes_;
    const SearchCounters<F.patterns.size()>& counters_;
    Followed& into_;
    unsigned heads_ = 0;  // patterns whose head is set for the current path
};

// One direction's search, resumed with the new bars.
template <const auto& F, class Score>
class Growth {
  public:
    Growth(const BarTable& table, bool rising, const Settings& settings, std::uint64_t max_nodes,
           Followed& side)
        : bars_(table.seen(rising)),
          wanted_(wanted<F>(settings)),
          side_(side),
          sink_(Score(settings.weights), rising, table.size(), max_nodes, counters_, side),
          descent_(bars_, table.size(), settings.up_to > 0 ? settings.up_to : kNever, counters_,
                   sink_),
          touched_(bars_.size()) {}

    void run() {
        const auto end = static_cast<std::int32_t>(bars_.size());
        const auto begin = static_cast<std::int32_t>(side_.next[0].size());
        for (auto* places : {&side_.first, &side_.next})
            for (auto& direction : *places) direction.resize(bars_.size());

        // The last bar is final now. Each of these was one node.
        side_.for_now.clear();
        side_.nodes -= side_.last_bar.size();
        for (const Waiting& it : std::exchange(side_.last_bar, {})) again(it);

        for (std::int32_t bar = 0; bar < begin; ++bar) {
            for (const bool rise : {false, true}) {
                const Link& link = rise ? bars_[bar].rise : bars_[bar].fall;
                if (link.first_known < end)
                    for (const Waiting& it : std::exchange(side_.first[rise][bar], {})) again(it);
                if (link.next_known >= end) continue;
                for (const Waiting& it : std::exchange(side_.next[rise][bar], {}))
                    from(it.at[0], [&] { descent_.onward(it.at, it.wave, it.skip, it.patterns); });
            }
        }
        for (std::int32_t start = begin; start < end; ++start)
            from(start, [&] { descent_.from(start, wanted_); });
        side_.nodes += counters_.nodes;
        // Counts exceeded by a bar are no longer under way.
        std::erase_if(side_.open, [&](const Found& it) {
            return make_path(bars_, std::span(it.at).first(it.waves + 1u)).breach(it.waves) < end;
        });
    }

    std::uint64_t nodes() const { return counters_.nodes; }
    std::size_t starts() const {
        return static_cast<std::size_t>(std::ranges::count(touched_, true));
    }

  private:
    template <class Search>
    void from(std::int32_t start, Search&& search) {
        const std::uint64_t before = counters_.nodes;
        sink_.new_path();
        search();
        if (counters_.nodes > before) touched_[start] = true;
    }
    void again(const Waiting& it) {
        from(it.at[0], [&] { descent_.again(it.at, it.wave, it.patterns); });
    }

    std::span<const Bar> bars_;
    unsigned wanted_;
    Followed& side_;
    SearchCounters<F.patterns.size()> counters_;
    Following<F, Score> sink_;
    Descent<F, Following<F, Score>> descent_;
    std::vector<bool> touched_;
};

}  // namespace

Tracker::Tracker(Settings settings, std::uint64_t max_nodes)
    : settings_(std::move(settings)),
      sides_(std::make_unique<std::array<Followed, 2>>()),
      nodes_left_(max_nodes) {}

Tracker::~Tracker() = default;

// False when there were too many nodes.
bool Tracker::grow(bool rising, Followed& side) {
    const auto with = [&]<const auto & F, class Score>() {
        Growth<F, Score> growth(table_, rising, settings_, nodes_left_, side);
        growth.run();
        effort_.starts += lows_.size();
        effort_.searched += growth.starts();
        effort_.nodes += growth.nodes();
        effort_.whole_nodes += side.nodes;
        if (growth.nodes() > nodes_left_) return false;
        nodes_left_ -= growth.nodes();
        return true;
    };
    if (settings_.mode == Mode::standard)
        return with.template operator()<standard::kPatterns, StandardScore>();
    return rising ? with.template operator()<compatible::kRising, CompatibleScore>()
                  : with.template operator()<compatible::kFalling, CompatibleScore>();
}

Result<void> Tracker::append(std::span<const double> lows, std::span<const double> highs) {
    lows_.insert(lows_.end(), lows.begin(), lows.end());
    highs_.insert(highs_.end(), highs.begin(), highs.end());
    table_.build(lows_, highs_);
    effort_ = {};
    for (const bool rising : {true, false}) {
        if (!(rising ? settings_.rising : settings_.falling)) continue;
        if (!grow(rising, (*sides_)[rising ? 0 : 1]))
            return fail(Errc::too_large, "There are too many counts to follow.");
    }
    return {};
}

std::size_t Tracker::held() const {
    std::size_t held = 0;
    for (const Followed& side : *sides_)
        held += side.finished.size() + side.for_now.size() + side.open.size();
    return held;
}

std::vector<Found> Tracker::counts() const {
    std::vector<Found> all;
    for (const Followed& side : *sides_)
        for (const auto* counts : {&side.finished, &side.for_now})
            all.insert(all.end(), counts->begin(), counts->end());
    return ranked(std::move(all));
}

std::vector<Found> Tracker::open() const {
    std::vector<Found> all;
    for (const Followed& side : *sides_)
        std::ranges::copy_if(side.open, std::back_inserter(all), [&](const Found& it) {
            const Pattern& pattern = *find_pattern(it.shape, it.rising, settings_.mode);
            return may_go_on(pattern, path_of(table_, it), it.waves, table_.size());
        });
    return ranked(std::move(all));
}

std::vector<Found> Tracker::ranked(std::vector<Found> all) const {
    const Rarity rarity = rarity_of(table_, table_.size(), settings_);
    for (Found& it : all) {
        it.standing = rarity.standing(it.shape, it.waves, it.score);
        // Whenever it was found, the window is the whole series as it is now.
        it.window_end = table_.size();
    }
    std::ranges::sort(all, better);
    return all;
}

}  // namespace plimsoll::waves
