#include "engine/waves/report/scan.hpp"

#include "engine/waves/report/chance_judge.hpp"
#include "engine/waves/report/device_scan.hpp"
#include "engine/waves/report/parallel.hpp"
#include "engine/waves/report/scan_symbol.hpp"

#include <algorithm>
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
    for (SymbolReport& report : reports) {
        if (report.ok() && !report.counts.empty())
            symbols.push_back(&report);
        else
            progress.advance(1);
    }
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

}  // namespace plimsoll::waves
