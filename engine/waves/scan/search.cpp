#include "engine/waves/scan/search.hpp"

#include "engine/waves/scan/sinks.hpp"
#include "engine/waves/scan/wanted.hpp"
#include "engine/waves/search/patterns.hpp"

#include <algorithm>

namespace plimsoll::waves {
namespace {

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
          const Settings& settings, Sink& sink, Tally<F.patterns.size()>& tally, Coverage& coverage,
          const Watch& watch) {
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
            window_nodes = tally.nodes;
            cut = false;
            sink.enter_window(window.begin, window.end, window.end == n);
        }
        if (cut) continue;
        if (settings.max_combinations > 0 &&
            tally.nodes - window_nodes >= settings.max_combinations) {
            cut = true;
            ++coverage.cut_windows;
            continue;
        }
        if (++coverage.starts % kStartsPerLook == 0 && watch.stopped()) return false;
        if (known.empty()) {
            Descent<F, Sink>(bars, window.end, up_to, tally, sink).from(start.bar, patterns);
            continue;
        }
        // Windows overlap, and most of what a start leads to lies well inside: it is not searched
        // again. Counts under way are only searched where the data end.
        auto& before = known[start.bar];
        if (before.until >= window.end && before.to_the_end == (window.end == n)) {
            for (std::size_t p = 0; p < before.complete.size(); ++p)
                tally.complete[p] += before.complete[p];
            continue;
        }
        before.complete = tally.complete;
        before.until =
            Descent<F, Sink>(bars, window.end, up_to, tally, sink).from(start.bar, patterns);
        before.to_the_end = window.end == n;
        for (std::size_t p = 0; p < before.complete.size(); ++p)
            before.complete[p] = tally.complete[p] - before.complete[p];
    }
    return true;
}

template <const auto& F>
void add_tally(const Tally<F.patterns.size()>& tally, bool rising, Coverage& coverage) {
    coverage.nodes += tally.nodes;
    coverage.cut_chains += tally.capped;
    for (std::size_t p = 0; p < F.patterns.size(); ++p) {
        const Pattern& pattern = F.patterns[p];
        coverage.valid[kind_index(pattern.shape, rising)] += tally.complete[p];
        for (int r = 0; r < pattern.rule_count; ++r)
            if (tally.pruned[p][r] > 0)
                coverage.pruned[std::string(pattern.rules[r].name)] += tally.pruned[p][r];
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
    Tally<F.patterns.size()> tally;
    const bool done = walk<F>(table.seen(rising), itinerary, rising, settings, sink, tally,
                              result.coverage, watch);
    add_tally<F>(tally, rising, result.coverage);
    add_best<F>(sink, rising, result.best);
    return done;
}

template <const auto& F, class Score>
void best_of(const BarTable& table, const Itinerary& itinerary, const Settings& settings,
             bool rising, std::array<double, kKinds>& best, const Watch& watch) {
    BestOnly<F, Score> sink{Score(settings.weights)};
    Tally<F.patterns.size()> tally;
    Coverage coverage;
    walk<F>(table.seen(rising), itinerary, rising, settings, sink, tally, coverage, watch);
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
