#include "engine/waves/report/scan_symbol.hpp"

#include "engine/waves/report/describe.hpp"
#include "engine/waves/scan/count_parts.hpp"
#include "engine/waves/series/series.hpp"

#include <algorithm>
#include <ctime>

namespace plimsoll::waves {
namespace {

constexpr std::size_t kFewestBars = 4;  // start, A, B, C
constexpr std::size_t kFirstPool = 256;
constexpr std::size_t kPoolGrowth = 16;

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::optional<std::string> unfit(const Series& series, const Settings& settings) {
    const std::size_t n = series.size();
    if (n < kFewestBars)
        return "The series has " + std::to_string(n) + (n == 1 ? " bar" : " bars") +
               "; a count needs at least " + std::to_string(kFewestBars) + ".";
    const std::size_t most = settings.windowed ? kMaxBars : kMaxBarsWhole;
    if (n > most)
        return "The series has " + std::to_string(n) + " bars; at most " + std::to_string(most) +
               (settings.windowed ? " can be searched."
                                  : " can be searched as a whole. Search in windows, or only the "
                                    "most recent days.");
    return {};
}

std::size_t wanted_counts(const Settings& settings) {
    return static_cast<std::size_t>(settings.top_n == 0 ? settings.most_counts : settings.top_n);
}

bool lists_a_part(const SymbolSearch& it, const Settings& settings) {
    if (settings.top_n == 0) return it.result.more || it.result.counts.size() > it.ranking.size();
    return it.result.more && it.ranking.size() < wanted_counts(settings);
}

}  // namespace

std::size_t first_pool(const Settings& settings) {
    return std::min(kMaxCandidates, std::max(kFirstPool, 4 * wanted_counts(settings)));
}

std::size_t larger_pool(std::size_t pool) {
    return std::min(pool * kPoolGrowth, kMaxCandidates);
}

bool SymbolSearch::rank(SearchResult found, std::size_t pool, const Settings& settings) {
    result = std::move(found);
    // Spans never overlap by more than 1: then nothing is displaced.
    ranking = waves::rank(result.counts, wanted_counts(settings),
                          settings.top_n == 0 ? 1 : settings.max_overlap,
                          static_cast<std::size_t>(settings.alternates));
    return ranking.size() == wanted_counts(settings) || !result.more || pool >= kMaxCandidates;
}

SymbolSearch prepare(SymbolPrices prices, const Settings& settings) {
    const double began = processor_seconds();
    SymbolSearch it;
    it.report.symbol = prices.series.symbol;
    it.report.errors = std::move(prices.errors);
    it.report.error_count = prices.error_count;
    if (!it.report.ok()) return it;
    Series& series = it.report.series;
    series = std::move(prices.series);
    it.report.offset = static_cast<std::size_t>(first_bar(series, settings.days));
    drop_leading_bars(it.report.offset, series);
    it.report.flags = flag(series);
    if (auto message = unfit(series, settings)) {
        it.report.errors.push_back({0, std::move(*message)});
        it.report.error_count = 1;
        return it;
    }
    it.table.build(series.low, series.high);
    it.itinerary =
        make_itinerary(it.table, series.close, bars_per_week(series, settings), settings);
    it.report.seconds = processor_seconds() - began;
    return it;
}

SymbolReport describe(SymbolSearch it, const Settings& settings) {
    const double began = processor_seconds();
    SymbolReport& report = it.report;
    if (!report.ok()) return std::move(report);
    for (const Ranked& ranked : it.ranking)
        report.counts.push_back(describe(ranked, it.table, report.series, settings.mode));
    for (const Ranked& ranked : rank_open(it.result.open, settings))
        report.open.push_back(describe(ranked, it.table, report.series, settings.mode));
    report.live = live_counts(it.result.counts, it.result.open, it.table, report.series, settings);
    for (const auto* list : {&report.counts, &report.open})
        for (const CountReport& count : *list)
            if (count.outlook.live && std::ranges::none_of(report.live, [&](const CountReport& it) {
                    return it.count.same_count(count.count);
                }))
                report.live.push_back(count);
    const Rarity rarity = rarity_of(it.table, it.itinerary.longest_window(), settings);
    report.by_rarity = rarity.known();
    for (int shape = 0; shape < kShapes; ++shape) {
        for (const bool rising : {true, false}) {
            const auto of = static_cast<Shape>(shape);
            if (find_pattern(of, rising, settings.mode) == nullptr) continue;
            const std::size_t kind = kind_index(of, rising);
            const double best = it.result.best[kind];
            report.kinds.push_back({.shape = of,
                                    .rising = rising,
                                    .valid = it.result.coverage.valid[kind],
                                    .best = best,
                                    .standing = rarity.standing(of, waves_of(of), best),
                                    .chance = {}});
        }
    }
    report.ranking_cut = lists_a_part(it, settings);
    report.coverage = std::move(it.result.coverage);
    report.seconds += processor_seconds() - began;
    return std::move(report);
}

Result<SymbolReport> scan_symbol(SymbolPrices prices, const Settings& settings,
                                 const Watch& watch) {
    SymbolSearch it = prepare(std::move(prices), settings);
    const double began = processor_seconds();
    if (it.report.ok()) {
        for (std::size_t pool = first_pool(settings);; pool = larger_pool(pool)) {
            auto found = search(it.table, it.itinerary, settings, pool, watch);
            if (!found) return fail(found.error());
            if (it.rank(std::move(*found), pool, settings)) break;
        }
        it.report.seconds += processor_seconds() - began;
    }
    return describe(std::move(it), settings);
}

}  // namespace plimsoll::waves
