#include "engine/waves/report/scan.hpp"

#include "engine/waves/report/chance_judge.hpp"
#include "engine/waves/report/describe.hpp"
#include "engine/waves/report/device_scan.hpp"
#include "engine/waves/report/parallel.hpp"
#include "engine/waves/scan/count_parts.hpp"
#include "engine/waves/series/series.hpp"

#include <algorithm>
#include <ctime>
#include <memory>
#include <thread>

namespace plimsoll::waves {
namespace {

constexpr std::uint32_t kSurrogatesAPiece = 32;
constexpr std::size_t kPiecesAThread = 4;  // so that all threads end at about the same time

std::size_t threads_of(const Settings& settings) {
    return settings.threads > 0 ? static_cast<std::size_t>(settings.threads)
                                : std::max(1u, std::thread::hardware_concurrency());
}

// Judges symbols in pieces over all threads.
void judge(std::span<SymbolReport* const> symbols, const Settings& settings, Progress& progress,
           const Watch& watch) {
    const auto total = static_cast<std::uint32_t>(settings.surrogates);
    const auto piece = static_cast<std::uint32_t>(std::clamp<std::size_t>(
        symbols.size() * total / (kPiecesAThread * threads_of(settings)), 1, kSurrogatesAPiece));
    const std::uint32_t pieces = (total + piece - 1) / piece;
    std::vector<std::unique_ptr<ChanceJudge>> judges(symbols.size());
    std::vector<std::once_flag> begun(symbols.size());
    std::vector<std::atomic<std::uint32_t>> done(symbols.size());
    parallel_for(symbols.size() * pieces, threads_of(settings), [&](std::size_t task) {
        if (watch.stopped()) return;
        const std::size_t s = task / pieces;
        std::call_once(begun[s],
                       [&] { judges[s] = std::make_unique<ChanceJudge>(*symbols[s], settings); });
        const auto from = static_cast<std::uint32_t>(task % pieces) * piece;
        judges[s]->add(from, std::min(from + piece, total), watch);
        if (++done[s] < pieces || watch.stop.stop_requested()) return;
        judges[s]->finish();
        judges[s].reset();
        progress.advance(1);
    });
}

// Searches on the device as far as possible, the rest on the processor.
void judge(std::vector<SymbolReport>& reports, SearchDevice* device, const Settings& settings,
           Progress& progress, const Watch& watch) {
    std::vector<SymbolReport*> symbols;
    for (SymbolReport& report : reports)
        if (report.ok() && !report.counts.empty())
            symbols.push_back(&report);
        else
            progress.advance(1);
    std::size_t judged = 0;
    if (device != nullptr) {
        const auto error =
            judge_on(*device, symbols, settings, threads_of(settings), progress, watch, judged);
        if (!error.empty())
            for (std::size_t s = judged; s < symbols.size(); ++s)
                symbols[s]->computed_why = "The device did not search the chance series: " + error;
    }
    judge(std::span(symbols).subspan(judged), settings, progress, watch);
}

// Among many symbols the luckiest one looks good by chance: correct the best counts for that.
void correct_for_symbols(std::vector<SymbolReport>& reports) {
    std::vector<double> p_values;
    for (const SymbolReport& report : reports)
        if (report.surrogates > 0)
            p_values.push_back(Chance::p_value(report.counts.front().chance->k, report.surrogates));
    const auto rates = false_discovery_rates(p_values);
    auto rate = rates.begin();
    for (SymbolReport& report : reports)
        if (report.surrogates > 0) report.false_discovery_rate = *rate++;
}

constexpr std::size_t kMinBars = 4;  // start, A, B, C
constexpr std::size_t kFirstPool = 256;
constexpr std::size_t kPoolGrowth = 16;

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::optional<std::string> unfit(const Series& series, const Settings& settings) {
    const std::size_t n = series.size();
    if (n < kMinBars)
        return "The series has " + std::to_string(n) + (n == 1 ? " bar" : " bars") +
               "; a count needs at least " + std::to_string(kMinBars) + ".";
    const std::size_t max = settings.windowed ? kMaxBars : kMaxBarsWhole;
    if (n > max)
        return "The series has " + std::to_string(n) + " bars; at most " + std::to_string(max) +
               (settings.windowed ? " can be searched."
                                  : " can be searched as a whole. Search in windows, or only the "
                                    "most recent days.");
    return {};
}

std::size_t wanted_counts(const Settings& settings) {
    return static_cast<std::size_t>(settings.top_n == 0 ? settings.max_counts : settings.top_n);
}

bool lists_a_part(const SymbolSearch& it, const Settings& settings) {
    if (settings.top_n == 0) return it.result.more || it.result.counts.size() > it.ranking.size();
    return it.result.more && it.ranking.size() < wanted_counts(settings);
}

}  // namespace

Result<std::vector<SymbolReport>> scan(std::vector<SymbolPrices> symbols, const Settings& settings,
                                       Progress& progress, const std::stop_token& stop,
                                       const DeviceAtHand& at_hand) {
    const Watch watch{stop, &progress};
    progress.set_total(static_cast<std::int64_t>(symbols.size()));
    std::vector<SymbolReport> reports(symbols.size());
    const bool judging = settings.surrogates > 0;
    DeviceChoice choice = choose_device(at_hand, symbols, settings, threads_of(settings), watch);
    std::size_t searched = 0;  // on the device: the number of leading symbols
    if (choice.device != nullptr) {
        const auto error = search_on(*choice.device, symbols, settings, threads_of(settings), watch,
                                     reports, searched);
        for (std::size_t i = 0; i < searched; ++i) {
            reports[i].computed_by = choice.device->name();
            reports[i].computed_why = choice.why;
            if (!judging) progress.advance(1);
        }
        if (!error.empty()) choice = {nullptr, "The device failed: " + error};
    }
    parallel_for(symbols.size() - searched, threads_of(settings), [&](std::size_t i) {
        auto report = scan_symbol(std::move(symbols[searched + i]), settings, watch);
        if (!report) return;  // stopped
        reports[searched + i] = std::move(*report);
        reports[searched + i].computed_why = choice.why;
        if (!judging) progress.advance(1);
    });
    if (judging && !stop.stop_requested()) {
        judge(reports, choice.device, settings, progress, watch);
        if (!stop.stop_requested()) correct_for_symbols(reports);
    }
    if (stop.stop_requested()) return fail(Errc::cancelled, "The search was stopped.");
    return reports;
}

std::size_t first_pool(const Settings& settings) {
    return std::min(kMaxCandidates, std::max(kFirstPool, 4 * wanted_counts(settings)));
}

std::size_t larger_pool(std::size_t pool) { return std::min(pool * kPoolGrowth, kMaxCandidates); }

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
            TRY(auto found, search(it.table, it.itinerary, settings, pool, watch));
            if (it.rank(std::move(found), pool, settings)) break;
        }
        it.report.seconds += processor_seconds() - began;
    }
    return describe(std::move(it), settings);
}

}  // namespace plimsoll::waves
