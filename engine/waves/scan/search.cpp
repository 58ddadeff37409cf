#include "engine/waves/scan/search.hpp"

#include "engine/waves/ranking/rank.hpp"
#include "engine/waves/scan/wanted.hpp"
#include "engine/waves/scoring/compatible_score.hpp"
#include "engine/waves/scoring/rarity.hpp"
#include "engine/waves/scoring/standard_score.hpp"
#include "engine/waves/scoring/unfinished.hpp"
#include "engine/waves/search/descent.hpp"
#include "engine/waves/search/patterns.hpp"

#include <algorithm>

namespace plimsoll::waves {
namespace {

constexpr double kNoScore = -1;  // below every score

template <std::size_t N>
constexpr std::array<double, N> no_scores() {
    std::array<double, N> scores{};
    scores.fill(kNoScore);
    return scores;
}

// Scores every count and keeps the best. The costly part of a score is skipped if a bound shows
// that the count can neither enter the pool nor become the best of its kind.
template <const auto& F, class Score>
class Collector : public SinkDefaults {
    static constexpr std::size_t kPatterns = F.patterns.size();

  public:
    static constexpr bool kWantsOpen = [] {
        for (const Pattern& pattern : F.patterns)
            if (pattern.open_from > 0) return true;
        return false;
    }();

    Collector(Score score, const Rarity& rarity, bool rising, Pool& counts, Pool& open)
        : score_(score), rarity_(rarity), rising_(rising), counts_(counts), open_(open) {
        set_floors();
    }

    // `to_the_end`: the window ends with the data, so counts may be unfinished.
    void enter_window(std::int32_t begin, std::int32_t end, bool to_the_end) {
        begin_ = begin;
        end_ = end;
        to_the_end_ = to_the_end;
    }
    const std::array<double, kPatterns>& best() const { return best_; }

    template <int K>
    unsigned enter(const Path&, unsigned alive) {
        if constexpr (K == Score::kHead) heads_ = 0;
        return alive;
    }

    template <std::size_t P>
    void complete(const Path& path) {
        constexpr const Pattern& kPattern = F.patterns[P];
        constexpr Shape kShape = kPattern.shape;
        if constexpr (kPattern.waves > Score::kHead) {
            if ((heads_ & (1u << P)) == 0) {
                heads_ |= 1u << P;
                score_.template head<kShape>(path);
                bounds_[P] = score_.template bound<kShape>();
            }
            if (bounds_[P] < floors_[P] && bounds_[P] <= best_[P]) return;
        }
        const double needed = std::min(floors_[P], best_[P]);
        const double score = score_.template complete<kShape>(kPattern, path, needed);
        best_[P] = std::max(best_[P], score);
        if (score < floors_[P]) return;
        counts_.add(found(kShape, kPattern.waves, path, score));
        if (counts_.threshold() != threshold_) set_floors();
    }

    template <std::size_t P, int K>
    void open(const Path& path) {
        if (!to_the_end_) return;
        constexpr const Pattern& kPattern = F.patterns[P];
        if (!may_go_on(kPattern, path, K, end_)) return;
        const double score = score_.total_of(unfinished_parts<kPattern.shape>(kPattern, path, K));
        open_.add(found(kPattern.shape, K, path, score));
    }

  private:
    // The scores below which no count of a pattern enters the pool.
    void set_floors() {
        threshold_ = counts_.threshold();
        for (std::size_t p = 0; p < kPatterns; ++p)
            floors_[p] = rarity_.min_score(F.patterns[p].shape, F.patterns[p].waves, threshold_);
    }

    Found found(Shape shape, int waves, const Path& path, double score) const {
        Found it{.score = score,
                 .standing = rarity_.standing(shape, waves, score),
                 .window_begin = begin_,
                 .window_end = end_,
                 .shape = shape,
                 .rising = rising_,
                 .waves = static_cast<std::uint8_t>(waves)};
        std::copy_n(path.at.begin(), waves + 1, it.at.begin());
        return it;
    }

    Score score_;
    const Rarity& rarity_;
    bool rising_;
    Pool& counts_;
    Pool& open_;
    double threshold_ = 0;  // the pool's threshold when the floors were set
    std::array<double, kPatterns> floors_{};
    std::int32_t begin_ = 0;
    std::int32_t end_ = 0;
    bool to_the_end_ = false;
    unsigned heads_ = 0;  // patterns whose bounds are set for the current head
    std::array<double, kPatterns> bounds_{};
    std::array<double, kPatterns> best_ = no_scores<kPatterns>();
};

// Keeps only the best score of each pattern; prunes branches that cannot beat it.
template <const auto& F, class Score>
class BestOnly : public SinkDefaults {
    static constexpr std::size_t kPatterns = F.patterns.size();

  public:
    explicit BestOnly(Score score) : score_(score) {}

    void enter_window(std::int32_t, std::int32_t, bool) {}
    const std::array<double, kPatterns>& best() const { return best_; }

    template <int K>
    unsigned enter(const Path& path, unsigned alive) {
        plan::each<kPatterns>([&](auto p) __attribute__((always_inline)) {
            constexpr std::size_t P = p;
            constexpr Shape kShape = F.patterns[P].shape;
            if ((alive & (1u << P)) == 0) return;
            if constexpr (K == Score::kEarly) {
                if (!score_.template may_beat_early<kShape>(path, best_[P])) alive &= ~(1u << P);
            } else if constexpr (K == Score::kHead && F.patterns[P].waves > K) {
                if (!score_.template may_beat<kShape>(path, best_[P])) alive &= ~(1u << P);
            }
        });
        return alive;
    }

    template <std::size_t P>
    void complete(const Path& path) {
        constexpr Shape kShape = F.patterns[P].shape;
        best_[P] =
            std::max(best_[P], score_.template complete<kShape>(F.patterns[P], path, best_[P]));
    }

  private:
    Score score_;
    std::array<double, kPatterns> best_ = no_scores<kPatterns>();
};

// Some milliseconds, even of very long series.
constexpr std::uint64_t kStartsPerLook = 32;

// Results of a start from the previous window: valid up to `until`.
template <std::size_t N>
struct Known {
    std::int32_t until = 0;
    bool to_the_end = false;
    std::array<std::uint64_t, N> complete{};
};

// Goes through all starts of one direction. False when stopped.
template <const auto& F, class Sink>
bool walk(std::span<const Bar> bars, const Itinerary& itinerary, bool rising,
          const Settings& settings, Sink& sink, SearchCounters<F.patterns.size()>& counters,
          Coverage& coverage, const Watch& watch) {
    const unsigned patterns = wanted<F>(settings);
    if (patterns == 0) return true;
    const auto n = static_cast<std::int32_t>(bars.size());
    const std::int32_t up_to = settings.up_to > 0 ? settings.up_to : kNever;
    std::vector<Known<F.patterns.size()>> known(itinerary.windows.size() > 1 ? bars.size() : 0);
    std::int32_t window_index = -1;
    std::uint64_t window_nodes = 0;
    bool cut = false;
    for (const Start& start : itinerary.starts(rising)) {
        const Window& window = itinerary.windows[start.window];
        if (start.window != window_index) {
            window_index = start.window;
            window_nodes = counters.nodes;
            cut = false;
            sink.enter_window(window.begin, window.end, window.end == n);
        }
        if (cut) continue;
        if (settings.max_combinations > 0 &&
            counters.nodes - window_nodes >= settings.max_combinations) {
            cut = true;
            ++coverage.cut_windows;
            continue;
        }
        if (++coverage.starts % kStartsPerLook == 0 && watch.stopped()) return false;
        if (known.empty()) {
            Descent<F, Sink>(bars, window.end, up_to, counters, sink).from(start.bar, patterns);
            continue;
        }
        // Windows overlap, and most of what a start leads to lies well inside: it is not searched
        // again. Counts under way are only searched where the data end.
        auto& before = known[start.bar];
        if (before.until >= window.end && before.to_the_end == (window.end == n)) {
            for (std::size_t p = 0; p < before.complete.size(); ++p)
                counters.complete[p] += before.complete[p];
            continue;
        }
        before.complete = counters.complete;
        before.until =
            Descent<F, Sink>(bars, window.end, up_to, counters, sink).from(start.bar, patterns);
        before.to_the_end = window.end == n;
        for (std::size_t p = 0; p < before.complete.size(); ++p)
            before.complete[p] = counters.complete[p] - before.complete[p];
    }
    return true;
}

template <const auto& F>
void add_counters(const SearchCounters<F.patterns.size()>& counters, bool rising,
                  Coverage& coverage) {
    coverage.nodes += counters.nodes;
    coverage.cut_chains += counters.capped;
    for (std::size_t p = 0; p < F.patterns.size(); ++p) {
        const Pattern& pattern = F.patterns[p];
        coverage.valid[kind_index(pattern.shape, rising)] += counters.complete[p];
        for (int r = 0; r < pattern.rule_count; ++r)
            if (counters.pruned[p][r] > 0)
                coverage.pruned[std::string(pattern.rules[r].name)] += counters.pruned[p][r];
    }
}

template <const auto& F, class Sink>
void add_best(const Sink& sink, bool rising, std::array<double, kKinds>& best) {
    for (std::size_t p = 0; p < F.patterns.size(); ++p)
        best[kind_index(F.patterns[p].shape, rising)] = sink.best()[p];
}

// One direction of a full search.
template <const auto& F, class Score>
bool collect(const BarTable& table, const Itinerary& itinerary, const Settings& settings,
             const Rarity& rarity, bool rising, Pool& counts, Pool& open, SearchResult& result,
             const Watch& watch) {
    Collector<F, Score> sink(Score(settings.weights), rarity, rising, counts, open);
    SearchCounters<F.patterns.size()> counters;
    const bool done = walk<F>(table.seen(rising), itinerary, rising, settings, sink, counters,
                              result.coverage, watch);
    add_counters<F>(counters, rising, result.coverage);
    add_best<F>(sink, rising, result.best);
    return done;
}

template <const auto& F, class Score>
void best_of(const BarTable& table, const Itinerary& itinerary, const Settings& settings,
             bool rising, std::array<double, kKinds>& best, const Watch& watch) {
    BestOnly<F, Score> sink{Score(settings.weights)};
    SearchCounters<F.patterns.size()> counters;
    Coverage coverage;
    walk<F>(table.seen(rising), itinerary, rising, settings, sink, counters, coverage, watch);
    add_best<F>(sink, rising, best);
}

}  // namespace

void Coverage::add(const Coverage& other) {
    starts += other.starts;
    windows += other.windows;
    nodes += other.nodes;
    for (const auto& [rule, count] : other.pruned) pruned[rule] += count;
    for (std::size_t i = 0; i < kKinds; ++i) valid[i] += other.valid[i];
    quiet_windows += other.quiet_windows;
    filtered_starts += other.filtered_starts;
    cut_windows += other.cut_windows;
    cut_chains += other.cut_chains;
    all_windows = all_windows && other.all_windows;
}

Rarity rarity_of(const BarTable& table, std::int32_t window, const Settings& settings) {
    if (!settings.by_rarity() || window == 0) return {};
    const bool flat =
        std::ranges::all_of(table.upright(), [](const Bar& bar) { return bar.low == bar.high; });
    return Rarity(table.size(), window, flat);
}

Rarity rarity_of(std::span<const double> lows, std::span<const double> highs, std::int32_t window,
                 const Settings& settings) {
    if (!settings.by_rarity() || window == 0) return {};
    return Rarity(static_cast<double>(lows.size()), window, std::ranges::equal(lows, highs));
}

Result<SearchResult> search(const BarTable& table, const Itinerary& itinerary,
                            const Settings& settings, std::size_t keep, const Watch& watch) {
    SearchResult result;
    result.best = no_scores<kKinds>();
    result.coverage.windows = itinerary.windows.size() - itinerary.quiet_windows;
    result.coverage.quiet_windows = itinerary.quiet_windows;
    result.coverage.filtered_starts = itinerary.filtered_starts;
    result.coverage.all_windows = itinerary.all_windows;
    const bool windowed = itinerary.windows.size() > 1;
    Pool counts(keep, windowed);
    Pool open(std::max(kOpenKept, keep), windowed);
    const Rarity rarity = rarity_of(table, itinerary.longest_window(), settings);
    bool done = true;
    for (const bool rising : {true, false}) {
        if (!done) break;
        if (settings.mode == Mode::standard)
            done = collect<standard::kPatterns, StandardScore>(table, itinerary, settings, rarity,
                                                               rising, counts, open, result, watch);
        else if (rising)
            done = collect<compatible::kRising, CompatibleScore>(
                table, itinerary, settings, rarity, rising, counts, open, result, watch);
        else
            done = collect<compatible::kFalling, CompatibleScore>(
                table, itinerary, settings, rarity, rising, counts, open, result, watch);
    }
    if (!done) return fail(Errc::cancelled, "The search was stopped.");
    result.counts = counts.take();
    result.more = counts.overflowed();
    result.open = open.take();
    return result;
}

std::array<double, kKinds> best_scores(const BarTable& table, const Itinerary& itinerary,
                                       const Settings& settings, const Watch& watch) {
    auto best = no_scores<kKinds>();
    if (settings.mode == Mode::standard) {
        for (const bool rising : {true, false})
            best_of<standard::kPatterns, StandardScore>(table, itinerary, settings, rising, best,
                                                        watch);
    } else {
        best_of<compatible::kRising, CompatibleScore>(table, itinerary, settings, true, best,
                                                      watch);
        best_of<compatible::kFalling, CompatibleScore>(table, itinerary, settings, false, best,
                                                       watch);
    }
    return best;
}

double best_standing(const std::array<double, kKinds>& scores, const Rarity& rarity) {
    double best = kNoStanding;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        if (scores[kind] < 0) continue;
        const auto shape = static_cast<Shape>(kind / 2);
        best = std::max(best, rarity.standing(shape, waves_of(shape), scores[kind]));
    }
    return best;
}

}  // namespace plimsoll::waves
