#include "engine/waves/report/describe.hpp"

#include "engine/waves/scan/count_parts.hpp"

#include <algorithm>
#include <tuple>

namespace plimsoll::waves {

std::string rule_text(const Rule& rule, bool rising) {
    constexpr std::string_view kAbove = "above";
    constexpr std::string_view kBelow = "below";
    std::string text(rule.text);
    if (rising) return text;
    for (std::size_t at = 0; at + kAbove.size() <= text.size(); ++at) {
        const std::string_view here = std::string_view(text).substr(at, kAbove.size());
        if (here == kAbove)
            text.replace(at, here.size(), kBelow);
        else if (here == kBelow)
            text.replace(at, here.size(), kAbove);
    }
    return text;
}

namespace {

constexpr std::size_t kOpenReported = 5;
constexpr std::size_t kLiveReported = 5;

Outlook outlook_of(const Found& found, const BarTable& table, const Series& series, Mode mode) {
    return outlook(*find_pattern(found.shape, found.rising, mode), path_of(table, found),
                   found.waves, found.rising, (found.rising ? 1 : -1) * series.close.back(),
                   table.size());
}

}  // namespace

CountReport describe(const Ranked& ranked, const BarTable& table, const Series& series, Mode mode) {
    const Found& found = ranked.count;
    const Pattern& pattern = *find_pattern(found.shape, found.rising, mode);
    const Path path = path_of(table, found);
    const double sign = found.rising ? 1 : -1;
    CountReport report{.count = found,
                       .prices = {},
                       .skips = skips_of(path, found.waves),
                       .parts = count_parts(table, found, mode),
                       .rules = {},
                       .outlook = outlook_of(found, table, series, mode),
                       .alternates = ranked.alternates,
                       .chance = {}};
    for (int i = 0; i <= found.waves; ++i) report.prices.push_back(sign * path.price[i]);
    for (int i = 0; i < pattern.rule_count; ++i) {
        const Rule& rule = pattern.rules[i];
        if (rule.depth() > found.waves) continue;
        report.rules.push_back(
            {rule.name, rule_text(rule, found.rising),
             has_margin(rule) ? std::optional(margin(rule, path)) : std::nullopt});
    }
    return report;
}

std::vector<CountReport> live_counts(std::span<const Found> finished, std::span<const Found> open,
                                     const BarTable& table, const Series& series,
                                     const Settings& settings) {
    std::vector<Found> candidates;
    const std::int32_t last = table.size() - 1;
    for (const auto& list : {finished, open})
        for (const Found& found : list)
            if (last - found.end() <= found.end() - found.begin() &&  // cheaper than the outlook
                outlook_of(found, table, series, settings.mode).live)
                candidates.push_back(found);
    // What goes on in a longer count with the same first ends says less than that one; it precedes
    // it, since ends that are not reached yet are 0.
    std::ranges::sort(candidates, {},
                      [](const Found& it) { return std::tuple(it.shape, it.rising, it.at); });
    const auto goes_on = [](const Found& a, const Found& b) {
        return a.waves < b.waves && a.shape == b.shape && a.rising == b.rising &&
               std::equal(a.at.begin(), a.at.begin() + a.waves + 1, b.at.begin());
    };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (i + 1 == candidates.size() || !goes_on(candidates[i], candidates[i + 1]))
            candidates[kept++] = candidates[i];
    candidates.resize(kept);
    std::ranges::sort(candidates, better);
    std::vector<CountReport> live;
    for (const Ranked& ranked : rank(candidates, kLiveReported, settings.max_overlap,
                                     static_cast<std::size_t>(settings.alternates)))
        live.push_back(describe(ranked, table, series, settings.mode));
    return live;
}

std::vector<Ranked> rank_open(std::span<const Found> open, const Settings& settings) {
    return rank(open, kOpenReported, settings.max_overlap,
                static_cast<std::size_t>(settings.alternates));
}

}  // namespace plimsoll::waves
