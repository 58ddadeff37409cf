#include "engine/waves/output/check.hpp"

#include "engine/base/json.hpp"
#include "engine/waves/output/json.hpp"
#include "engine/waves/output/words.hpp"
#include "engine/waves/scoring/rarity.hpp"
#include "engine/waves/series/series.hpp"

#include <sstream>

#include <fmt/format.h>

namespace plimsoll::waves::output {
namespace {

std::string outlook_text(const Outlook& outlook) {
    std::string out = fmt::format("  {}, invalid {} {:.6g}{}\n", outlook.expects,
                                  outlook.upward ? "below" : "above", outlook.invalidation,
                                  outlook.invalidated ? " (passed)" : "");
    for (const Target& target : outlook.targets)
        out += fmt::format("    target {:.6g}: {}\n", target.price, target.basis);
    return out;
}

std::string text_of(const CheckedCount& checked) {
    std::string out = checked.valid ? "valid" : "not valid";
    if (!checked.whole())
        out += fmt::format(" so far: {} of {} waves", checked.waves, checked.all_waves);
    if (checked.score) out += fmt::format(", score {:.4f}", *checked.score);
    if (checked.rarity)
        out += fmt::format(", rarity {:.1f}: {}", *checked.rarity, rarity_words(*checked.rarity));
    out += "\n";
    for (const CheckedRule& rule : checked.rules)
        out += fmt::format("  {:<6} {}{}\n", rule.holds ? "holds" : "BROKEN", rule.text,
                           rule.margin ? fmt::format(" (margin {:+.3f})", *rule.margin) : "");
    if (checked.outlook) out += outlook_text(*checked.outlook);
    return out;
}

template <class T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json(nullptr);
}

}  // namespace

json check_json(const Series& series, const DrawnCount& drawn, const CheckedCount& checked) {
    json ends = json::array();
    for (std::size_t i = 0; i < drawn.ends.size(); ++i)
        ends.push_back({{"label", end_label(drawn.shape, static_cast<int>(i))},
                        {"bar", drawn.ends[i]},
                        {"date", date_words(series, drawn.ends[i], 0)},
                        {"price", checked.prices[i]}});
    json rules = json::array();
    for (const CheckedRule& rule : checked.rules)
        rules.push_back({{"name", rule.name},
                         {"text", rule.text},
                         {"holds", rule.holds},
                         {"margin", or_null(rule.margin)}});
    json out = {
        {"symbol", series.symbol},
        {"rule_name", to_string(drawn.shape)},
        {"pattern", pattern_words(drawn.shape, drawn.rising)},
        {"direction", drawn.rising ? "up" : "down"},
        {"valid", checked.valid},
        {"waves_done", checked.waves},
        {"waves", checked.all_waves},
        {"ends", std::move(ends)},
        {"wave_config", checked.skips},
        {"rules", std::move(rules)},
        {"ensemble_score", or_null(checked.score)},
        {"parts", checked.parts ? parts_json(*checked.parts) : json(nullptr)},
        {"rarity", or_null(checked.rarity)},
        {"rarity_text", nullptr},
        {"expected_by_chance", nullptr},
        {"outlook", checked.outlook ? outlook_json(*checked.outlook, series, 0) : json(nullptr)}};
    if (checked.rarity) {
        out["rarity_text"] = rarity_words(*checked.rarity);
        out["expected_by_chance"] = expected_counts(*checked.rarity);
    }
    return out;
}

Result<CheckText> check_text(std::span<const SymbolPrices> symbols, std::string_view count,
                             const Settings& settings, bool as_json) {
    if (symbols.size() != 1)
        return fail(Errc::invalid_input,
                    "Name the symbol of the count to check (--symbols): only one can be checked at "
                    "a time.");
    const SymbolPrices& prices = symbols.front();
    if (!prices.ok())
        return fail(Errc::invalid_input, prices.errors.front().message,
                    "line " + std::to_string(prices.errors.front().line));
    std::istringstream words{std::string(count)};
    std::string name, direction, list;
    words >> name >> direction;
    std::getline(words, list);
    const auto shape = value_of(kShapeNames, name);
    if (!shape || (direction != "up" && direction != "down"))
        return fail(Errc::invalid_input,
                    "Write a count as PATTERN up|down END,END,…, for example \"impulse up "
                    "38,45,48,57,76,84\".");
    DrawnCount drawn{.shape = *shape, .rising = direction == "up", .ends = {}};
    std::istringstream names(list);
    for (std::string end; std::getline(names, end, ',');) {
        // Dates may hold blanks inside.
        end.erase(0, end.find_first_not_of(' '));
        end.erase(end.find_last_not_of(' ') + 1);
        const auto bar = bar_named(prices.series, end);
        if (!bar) return fail(Errc::invalid_input, "There is no bar \"" + end + "\".");
        drawn.ends.push_back(*bar);
    }
    const auto checked =
        check_count(prices.series, drawn.shape, drawn.rising, drawn.ends, settings);
    if (!checked) return fail(checked.error().code, checked.error().message);
    return CheckText{checked->valid, as_json
                                         ? check_json(prices.series, drawn, *checked).dump(2) + "\n"
                                         : text_of(*checked)};
}

}  // namespace plimsoll::waves::output
