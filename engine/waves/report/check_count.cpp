#include "engine/waves/report/check_count.hpp"

#include "engine/waves/scan/count_parts.hpp"

#include <algorithm>

namespace plimsoll::waves {
namespace {

// What the search takes for granted and people do not: that waves end where swings end, and are
// not undercut on their way.
void check_waves(const Path& path, const Pattern& pattern, bool rising, Mode mode,
                 CheckedCount& out) {
    const auto add = [&](std::string name, std::string text, bool holds) {
        out.rules.push_back({std::move(name), std::move(text), holds, {}});
    };
    for (int wave = 1; wave <= pattern.waves; ++wave) {
        const std::string number = std::to_string(wave);
        add("wave_" + number + "_ends_at_a_swing",
            "Wave " + number +
                " ends at the end of a swing, each higher (lower) than those it skips",
            out.skips[wave - 1] >= 0 && path.length[wave] > 0);
        const Guard guard = guard_of(wave, rising, mode);
        if (guard == Guard::none || (guard == Guard::when_skipping && out.skips[wave - 1] == 0))
            continue;
        add("wave_" + number + "_not_undercut",
            "No bar of wave " + number + " goes beyond its start",
            path.at[wave] <= path.breach(wave - 1));
    }
    if (mode == Mode::standard) {
        const std::int32_t start = path.at[0];
        add("starts_at_a_swing", "The bar before the start does not go beyond it",
            start == 0 || path.bars[start - 1].low >= path.bars[start].low);
    }
}

}  // namespace

Result<CheckedCount> check_count(const Series& series, Shape shape, bool rising,
                                 std::span<const std::int32_t> ends, const Settings& settings) {
    const Pattern* pattern = find_pattern(shape, rising, settings.mode);
    if (pattern == nullptr)
        return fail(Errc::invalid_input, "This mode has no " + std::string(to_string(shape)) +
                                             (rising ? " up." : " down."));
    if (ends.size() != static_cast<std::size_t>(pattern->waves) + 1)
        return fail(Errc::invalid_input, "The pattern has " + std::to_string(pattern->waves + 1) +
                                             " ends, the start among them, not " +
                                             std::to_string(ends.size()) + ".");
    if (ends.front() < 0 || ends.back() >= static_cast<std::int32_t>(series.size()) ||
        std::ranges::adjacent_find(ends, std::greater_equal<>()) != ends.end())
        return fail(Errc::invalid_input,
                    "The ends must be bars of the series, each after the one before.");

    BarTable table;
    table.build(series.low, series.high);
    Found found{.shape = shape, .rising = rising};
    found.waves = static_cast<std::uint8_t>(pattern->waves);
    std::ranges::copy(ends, found.at.begin());
    const Path path = path_of(table, found);

    CheckedCount out;
    out.skips = skips_of(path, pattern->waves);
    for (std::size_t i = 0; i < ends.size(); ++i)
        out.prices.push_back((rising ? 1 : -1) * path.price[i]);
    check_waves(path, *pattern, rising, settings.mode, out);
    for (int i = 0; i < pattern->rule_count; ++i) {
        const Rule& rule = pattern->rules[i];
        out.rules.push_back({std::string(rule.name), std::string(rule.text), holds(rule, path),
                             has_margin(rule) ? std::optional(margin(rule, path)) : std::nullopt});
    }
    out.valid = std::ranges::all_of(out.rules, [](const CheckedRule& rule) { return rule.holds; });
    if (out.valid) {
        out.parts = count_parts(table, found, settings.mode);
        out.score = total(*out.parts, settings.weights);
    }
    return out;
}

}  // namespace plimsoll::waves
