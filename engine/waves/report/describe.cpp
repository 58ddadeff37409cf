#include "engine/waves/report/describe.hpp"

#include "engine/waves/scan/count_parts.hpp"

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
                       .outlook = outlook(pattern, path, found.waves, found.rising,
                                          sign * series.close.back(), table.size()),
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

std::vector<Ranked> rank_open(std::span<const Found> open, const Settings& settings) {
    return rank(open, kOpenReported, settings.max_overlap,
                static_cast<std::size_t>(settings.alternates));
}

}  // namespace plimsoll::waves
