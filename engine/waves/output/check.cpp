#include "engine/waves/output/check.hpp"

#include "engine/waves/series/timestamps.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace plimsoll::waves::output {
namespace {

std::optional<Shape> shape_named(std::string_view name) {
    for (int i = 0; i < kShapes; ++i)
        if (to_string(static_cast<Shape>(i)) == name) return static_cast<Shape>(i);
    return {};
}

// A bar by its number or its date.
std::optional<std::int32_t> bar_named(const Series& series, const std::string& name,
                                      const Zone& zone) {
    std::int32_t bar = 0;
    const char* end = name.data() + name.size();
    if (std::from_chars(name.data(), end, bar).ptr == end) return bar;
    const auto time = read_timestamp(name, zone);
    if (!time) return {};
    for (const std::int64_t seconds : {time->seconds, time->again.value_or(time->seconds)}) {
        const auto it = std::ranges::lower_bound(series.time, seconds);
        if (it != series.time.end() && *it == seconds)
            return static_cast<std::int32_t>(it - series.time.begin());
    }
    return {};
}

std::string text_of(const CheckedCount& checked) {
    std::string out = checked.valid
                          ? fmt::format("valid, score {:.4f}\n", checked.score.value_or(0))
                          : "not valid\n";
    for (const CheckedRule& rule : checked.rules)
        out += fmt::format("  {:<6} {}{}\n", rule.holds ? "holds" : "BROKEN", rule.text,
                           rule.margin ? fmt::format(" (margin {:+.3f})", *rule.margin) : "");
    return out;
}

std::string json_of(const CheckedCount& checked) {
    nlohmann::json rules = nlohmann::json::array();
    for (const CheckedRule& rule : checked.rules) {
        rules.push_back({{"name", rule.name}, {"text", rule.text}, {"holds", rule.holds}});
        if (rule.margin) rules.back()["margin"] = *rule.margin;
    }
    nlohmann::json out = {{"valid", checked.valid},
                          {"prices", checked.prices},
                          {"wave_config", checked.skips},
                          {"rules", std::move(rules)}};
    if (checked.score) out["ensemble_score"] = *checked.score;
    return out.dump(2) + "\n";
}

}  // namespace

Result<CheckText> check_text(std::span<const SymbolPrices> symbols, std::string_view count,
                             const Settings& settings, const Zone& zone, bool as_json) {
    if (symbols.size() != 1)
        return fail(Errc::invalid_input, "Name the one symbol whose count is to be checked.");
    const SymbolPrices& prices = symbols.front();
    if (!prices.ok())
        return fail(Errc::invalid_input, prices.errors.front().message,
                    "line " + std::to_string(prices.errors.front().line));
    std::istringstream words{std::string(count)};
    std::string name, direction, list;
    words >> name >> direction >> list;
    const auto shape = shape_named(name);
    if (!shape || (direction != "up" && direction != "down"))
        return fail(Errc::invalid_input,
                    "A count is written PATTERN up|down END,END,…, for example \"impulse up "
                    "38,45,48,57,76,84\".");
    std::vector<std::int32_t> ends;
    std::istringstream names(list);
    for (std::string end; std::getline(names, end, ',');) {
        const auto bar = bar_named(prices.series, end, zone);
        if (!bar) return fail(Errc::invalid_input, "There is no bar \"" + end + "\".");
        ends.push_back(*bar);
    }
    const auto checked = check_count(prices.series, *shape, direction == "up", ends, settings);
    if (!checked) return fail(checked.error());
    return CheckText{checked->valid, as_json ? json_of(*checked) : text_of(*checked)};
}

}  // namespace plimsoll::waves::output
