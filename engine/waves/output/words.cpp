#include "engine/waves/output/words.hpp"

#include "engine/waves/series/timestamps.hpp"

#include <fmt/format.h>

namespace plimsoll::waves::output {
namespace {

std::string count_words(std::uint64_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string pattern_words(Shape shape, bool rising) {
    constexpr std::string_view kNames[] = {"impulse",     "leading diagonal", "correction",
                                           "zigzag",      "regular flat",     "expanded flat",
                                           "running flat"};
    static_assert(std::size(kNames) == kShapes);
    return std::string(kNames[static_cast<std::size_t>(shape)]) + (rising ? " up" : " down");
}

std::string date_words(const Series& series, std::int32_t bar, std::size_t offset) {
    const auto at = static_cast<std::size_t>(bar);
    return series.time.empty() ? std::to_string(offset + at)
                               : format_timestamp(series.time[at], series.zone);
}

std::string bar_words(const SymbolReport& report, std::int32_t bar) {
    return date_words(report.series, bar, report.offset);
}

std::string ranking_note(const SymbolReport& report) {
    if (!report.ranking_cut) return {};
    return "Only the best " + count_words(report.counts.size(), "count is", "counts are") +
           " listed; there are more.";
}

std::vector<std::string> omissions(const Coverage& coverage) {
    std::vector<std::string> out;
    if (!coverage.all_windows) out.push_back("max_windows truncated the list of windows.");
    if (coverage.quiet_windows > 0)
        out.push_back(count_words(coverage.quiet_windows, "window was", "windows were") +
                      " skipped as too flat or not volatile enough.");
    if (coverage.filtered_starts > 0)
        out.push_back(count_words(coverage.filtered_starts, "start was", "starts were") +
                      " skipped by the pre-score.");
    if (coverage.cut_windows > 0)
        out.push_back(count_words(coverage.cut_windows, "window was", "windows were") +
                      " cut short by max_combinations.");
    if (coverage.cut_chains > 0)
        out.push_back(count_words(coverage.cut_chains, "chain", "chains") +
                      " of ends continued beyond up_to.");
    return out;
}

std::string rarity_note(const Settings& settings) {
    if (!settings.by_rarity()) return {};
    std::string keys;
    const auto note = [&](bool restricts, const char* key) {
        if (restricts) keys += (keys.empty() ? "" : ", ") + std::string(key);
    };
    note(!settings.every_bar, "starts");
    note(!settings.start_bars.empty(), "start_bars");
    note(settings.skip_flat_windows, "skip_flat_windows");
    note(settings.min_volatility > 0, "min_volatility");
    note(settings.pre_score_top_k > 0, "pre_score_top_k");
    note(settings.pre_score_threshold > 0, "pre_score_threshold");
    note(settings.windowed && settings.max_windows > 0, "max_windows");
    note(settings.max_combinations > 0, "max_combinations");
    note(settings.up_to > 0, "up_to");
    if (keys.empty()) return {};
    return "Rarities are for a search from every bar, but this one was restricted (" + keys +
           "): it finds fewer such counts on random walks than the rarity says, by a different "
           "factor for each pattern. Chance series are searched with the same restriction: use "
           "their p if there is one.";
}

std::string rarity_words(double rarity) {
    const double expected = expected_counts(rarity);
    if (expected < 0.0005) return "fewer than one random walk in 2,000 has such a count";
    if (expected < 0.5)
        return fmt::format("about one random walk in {:.0f} has such a count", 1 / expected);
    return fmt::format("a random walk has about {:.{}f} such counts", expected,
                       expected < 10 ? 1 : 0);
}

std::string chance_words(const Chance& chance, std::uint32_t surrogates, bool by_rarity) {
    const double p = Chance::p_value(chance.k, surrogates);
    return fmt::format("{}: {} of {} chance series have a count that {}", verdict(p), chance.k,
                       surrogates, by_rarity ? "is at least as rare" : "scores at least as high");
}

}  // namespace plimsoll::waves::output
