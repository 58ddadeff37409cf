#include "engine/waves/output/text.hpp"

#include "engine/waves/output/words.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace plimsoll::waves::output {
namespace {

std::string count_text(const SymbolReport& report, const CountReport& it) {
    const Found& found = it.count;
    std::string out =
        fmt::format("  {:<22} {:.4f}  {} to {}", pattern_words(found.shape, found.rising),
                    found.score, bar_words(report, found.begin()), bar_words(report, found.end()));
    if (report.by_rarity)
        out +=
            fmt::format("\n      rarity {:.2f}: {}", found.standing, rarity_words(found.standing));
    std::string ends;
    for (int i = 0; i <= found.waves; ++i)
        ends +=
            fmt::format("{}{} {:.6g}", i > 0 ? ", " : "", end_label(found.shape, i), it.prices[i]);
    out += "\n      " + ends;
    out += fmt::format("\n      {}; {} beyond {:.6g}", it.outlook.expects,
                       it.outlook.invalidated ? "invalidated: the price went" : "invalidated",
                       it.outlook.invalidation);
    if (!it.outlook.targets.empty()) {
        out += "; targets";
        for (const Target& target : it.outlook.targets) {
            out += fmt::format(" {:.6g}", target.price);
            if (target.risk_multiple > 0) out += fmt::format(" ({:.1f} R)", target.risk_multiple);
            if (target.reached >= 0)
                out += fmt::format(" (reached on {})", bar_words(report, target.reached));
        }
    }
    if (it.chance)
        out += "\n      " + chance_words(*it.chance, report.surrogates, report.by_rarity);
    return out + "\n";
}

}  // namespace

std::string symbol_text(const SymbolReport& report) {
    std::string out = report.symbol;
    if (!report.ok()) {
        for (const RowError& error : report.errors)
            out +=
                fmt::format("\n  {}{}", error.line > 0 ? fmt::format("line {}: ", error.line) : "",
                            error.message);
        if (report.error_count > report.errors.size())
            out += fmt::format("\n  and {} more", report.error_count - report.errors.size());
        return out + "\n";
    }
    const auto last = static_cast<std::int32_t>(report.series.size()) - 1;
    out += fmt::format(
        "  {} bars, {} to {}, last close {:.6g}{}\n", report.series.size(), bar_words(report, 0),
        bar_words(report, last), report.series.close.back(),
        report.series.has_times_of_day() ? ", times in " + report.series.zone.name() : "");
    if (!report.flags.splits.empty())
        out += fmt::format("  prices may be unadjusted for a split on {}\n",
                           bar_words(report, static_cast<std::int32_t>(report.flags.splits[0])));
    out +=
        report.live.empty() ? "  nothing is live at the last bar\n" : "  live at the last bar:\n";
    for (const CountReport& it : report.live) out += count_text(report, it);
    std::string over;
    for (const auto* list : {&report.counts, &report.open})
        for (const CountReport& it : *list)
            if (!it.outlook.live) over += count_text(report, it);
    if (!over.empty()) out += "  over:\n" + over;
    if (report.ranking_cut) out += "  " + ranking_note(report) + "\n";
    return out;
}

std::string totals_text(std::span<const SymbolReport> reports) {
    Coverage all;
    std::size_t failed = 0;
    for (const SymbolReport& report : reports) {
        all.add(report.coverage);
        failed += !report.ok();
    }
    std::string out =
        fmt::format("{} symbol{}, {} failed; {} starts, {} nodes, {} valid counts; complete: {}\n",
                    reports.size(), reports.size() == 1 ? "" : "s", failed, all.starts, all.nodes,
                    all.valid_counts(), all.complete() ? "yes" : "no");
    for (const std::string& omission : omissions(all)) out += "  " + omission + "\n";
    return out;
}

std::string time_text(std::span<const SymbolReport> reports) {
    double seconds = 0;
    for (const SymbolReport& report : reports) seconds += report.seconds;
    return fmt::format("  {:.3f} s of CPU time to search\n", seconds);
}

std::string profile_text(std::span<const SymbolReport> reports) {
    std::string out = "CPU time of the search, without chance series\n\n";
    out += fmt::format("{:>10}  {:>14}  {:>12}  {:>9}  {:>9}  {}\n", "seconds", "nodes", "nodes/s",
                       "starts", "windows", "symbol");
    Coverage all;
    double seconds = 0;
    const auto row = [&](double time, const Coverage& coverage, const std::string& name) {
        const double rate = time > 0 ? static_cast<double>(coverage.nodes) / time : 0;
        out += fmt::format("{:>10.4f}  {:>14}  {:>12.0f}  {:>9}  {:>9}  {}\n", time, coverage.nodes,
                           rate, coverage.starts, coverage.windows, name);
    };
    for (const SymbolReport& report : reports) {
        if (!report.ok()) continue;
        row(report.seconds, report.coverage, report.symbol);
        all.add(report.coverage);
        seconds += report.seconds;
    }
    row(seconds, all, "all");
    std::vector<std::pair<std::uint64_t, std::string>> rules;
    for (const auto& [rule, nodes] : all.pruned) rules.emplace_back(nodes, rule);
    std::ranges::sort(rules, std::greater());
    out += "\nnodes pruned  by rule\n";
    for (const auto& [nodes, rule] : rules) out += fmt::format("{:>12}  {}\n", nodes, rule);
    return out;
}

std::string keys_text() {
    std::string out;
    for (const Key& key : all_keys()) {
        out += fmt::format("{}: {}\n    {}\n", key.name, key.values, key.help);
        if (!key.no_effect.empty()) out += fmt::format("    no effect: {}\n", key.no_effect);
    }
    return out;
}

}  // namespace plimsoll::waves::output
