#include "engine/waves/report/check_count.hpp"

#include "engine/waves/report/describe.hpp"
#include "engine/waves/scan/count_parts.hpp"
#include "engine/waves/scan/search.hpp"
#include "engine/waves/scan/windows.hpp"
#include "engine/waves/series/series.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace plimsoll::waves {
namespace {

// Conditions implicit in the search but not in a user's count: waves end where swings end, and are
// not undercut on their way.
void check_waves(const Path& path, Shape shape, bool rising, Mode mode, CheckedCount& out) {
    const auto add = [&](std::string name, std::string text, bool holds) {
        out.rules.push_back({std::move(name), std::move(text), holds, {}});
    };
    for (int wave = 1; wave <= out.waves; ++wave) {
        const std::string label = end_label(shape, wave);
        const std::string name =
            "wave_" +
            std::string(1, static_cast<char>(std::tolower(static_cast<unsigned char>(label[0]))));
        const bool up = (wave % 2 == 1) == rising;
        add(name + "_ends_at_a_swing",
            "Wave " + label + " ends at the end of a swing, " + (up ? "above" : "below") +
                " all swings that it skips",
            out.skips[wave - 1] >= 0 && path.length[wave] > 0);
        const Guard guard = guard_of(wave, rising, mode);
        if (guard == Guard::none || (guard == Guard::when_skipping && out.skips[wave - 1] == 0))
            continue;
        add(name + "_not_undercut",
            "No bar of wave " + label + " before its last goes " + (up ? "below" : "above") +
                " its start",
            path.at[wave] <= path.breach(wave - 1));
    }
    if (mode == Mode::standard) {
        const std::int32_t start = path.at[0];
        add("starts_at_a_swing",
            std::string("The bar before the start does not go ") + (rising ? "below" : "above") +
                " it",
            start == 0 || path.bars[start - 1].low >= path.bars[start].low);
    }
}

// `first`: the first bar that counts.
Result<void> check_ends(std::span<const std::int32_t> ends, const Pattern& pattern,
                        std::int32_t first, std::size_t bars) {
    const auto max = static_cast<std::size_t>(pattern.waves) + 1;
    if (ends.size() < 2 || ends.size() > max)
        return fail(Errc::invalid_input,
                    "Give 2 to " + std::to_string(max) +
                        " ends of this pattern, including the start, not " +
                        std::to_string(ends.size()) + ".",
                    "/ends");
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const std::string where = "/ends/" + std::to_string(i);
        if (ends[i] < 0 || static_cast<std::size_t>(ends[i]) >= bars)
            return fail(Errc::invalid_input,
                        "There is no bar " + std::to_string(ends[i]) + ": the series has " +
                            std::to_string(bars) + " bars, counted from 0.",
                        where);
        if (ends[i] < first)
            return fail(Errc::invalid_input,
                        "Bar " + std::to_string(ends[i]) +
                            " lies before the days to search, which begin with bar " +
                            std::to_string(first) + ".",
                        where);
        if (i > 0 && ends[i] <= ends[i - 1])
            return fail(Errc::invalid_input,
                        "Each end must be at a later bar than the end before it.", where);
    }
    return {};
}

void judge(CheckedCount& out, const Series& series, const BarTable& table, const Pattern& pattern,
           const Path& path, const Found& found, const Settings& settings) {
    out.parts = count_parts(table, found, settings.mode);
    out.score = total(*out.parts, settings.weights);
    const Rarity rarity = rarity_of(table, table.size(), settings);
    if (rarity.known()) out.rarity = rarity.standing(found.shape, found.waves, *out.score);
    out.outlook = outlook(pattern, path, found.waves, found.rising,
                          (found.rising ? 1 : -1) * series.close.back(), table.size());
}

}  // namespace

Result<CheckedCount> check_count(const Series& whole, Shape shape, bool rising,
                                 std::span<const std::int32_t> ends, const Settings& settings) {
    const Pattern* pattern = find_pattern(shape, rising, settings.mode);
    if (pattern == nullptr)
        return fail(
            Errc::invalid_input,
            "This mode has no " + std::string(to_string(shape)) + (rising ? " up." : " down."),
            "/pattern");
    const std::int32_t first = first_bar(whole, settings.days);
    TRY_DO(check_ends(ends, *pattern, first, whole.size()));
    Series series = whole;
    drop_leading_bars(static_cast<std::size_t>(first), series);

    BarTable table;
    table.build(series.low, series.high);
    Found found{.shape = shape, .rising = rising};
    found.waves = static_cast<std::uint8_t>(ends.size() - 1);
    std::ranges::transform(ends, found.at.begin(), [first](auto end) { return end - first; });
    const Path path = path_of(table, found);

    CheckedCount out;
    out.waves = found.waves;
    out.all_waves = pattern->waves;
    out.skips = skips_of(path, out.waves);
    for (std::size_t i = 0; i < ends.size(); ++i)
        out.prices.push_back((rising ? 1 : -1) * path.price[i]);
    check_waves(path, shape, rising, settings.mode, out);
    for (int i = 0; i < pattern->rule_count; ++i) {
        const Rule& rule = pattern->rules[i];
        if (rule.depth() > out.waves) continue;
        out.rules.push_back({std::string(rule.name), rule_text(rule, rising), holds(rule, path),
                             has_margin(rule) ? std::optional(margin(rule, path)) : std::nullopt});
    }
    out.valid = std::ranges::all_of(out.rules, [](const CheckedRule& rule) { return rule.holds; });
    if (out.valid && out.whole()) judge(out, series, table, *pattern, path, found, settings);
    if (out.outlook)
        for (Target& target : out.outlook->targets)
            if (target.reached >= 0) target.reached += first;
    return out;
}

}  // namespace plimsoll::waves
