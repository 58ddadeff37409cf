#include "server/kinds/waves/command/summary_text.hpp"

#include "server/base/text_table.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::waves {
namespace {

using nlohmann::json;

constexpr std::size_t kShown = 20;

std::string number(const json& value, const char* format) {
    if (!value.is_number()) return "–";
    char text[32];
    std::snprintf(text, sizeof text, format, value.get<double>());
    return text;
}

std::vector<std::string> row_of(const json& symbol) {
    const json& live = symbol.at("live");
    const json& best = symbol.at("best");
    std::vector<std::string> row = {symbol.value("symbol", "")};
    if (live.is_null())
        row.insert(row.end(), {"nothing", "", ""});
    else
        row.insert(row.end(), {live.value("pattern", ""), number(live.at("target"), "%.6g"),
                               number(live.at("invalidation"), "%.6g")});
    row.push_back(number(symbol.at("last_close"), "%.6g"));
    if (best.is_null())
        row.insert(row.end(), {"none", "", ""});
    else
        row.insert(row.end(), {best.value("pattern", ""),
                               number(best.at(best.at("rarity").is_null() ? "score" : "rarity"),
                                      best.at("rarity").is_null() ? "%.3f" : "%.1f"),
                               number(best.at("p_value"), "%.3g")});
    return row;
}

std::string ranking_text(const json& summary, std::size_t width) {
    const json& ranking = summary.at("ranking");
    const bool rare = summary.value("ranked_by", "") == "rarity";
    std::vector<std::vector<std::string>> rows = {{"SYMBOL", "LIVE NOW", "TARGET", "INVALID AT",
                                                   "LAST", "BEST OF ALL", rare ? "RARITY" : "SCORE",
                                                   "P"}};
    for (std::size_t i = 0; i < std::min(ranking.size(), kShown); ++i) {
        rows.push_back(row_of(ranking[i]));
    }
    std::string text = table_text(rows, width);
    const std::int64_t more = static_cast<std::int64_t>(ranking.size() - (rows.size() - 1)) +
                              summary.value("ranking_omitted", std::int64_t{0});
    if (more > 0) text += std::to_string(more) + " more: plimsoll results JOB --format csv\n";
    return text;
}

}  // namespace

std::string summary_text(const json& summary, std::size_t width) {
    std::string text = ranking_text(summary, width);
    for (const json& failed : summary.at("errors")) {
        text += failed.value("custom_id", "") + " failed: " + failed.value("error", "") + "\n";
    }
    if (summary.value("ranked_by", "") == "rarity")
        text +=
            "Rarity is -ln of the number of such counts in a random walk of the same length: 3 is "
            "one in 20 walks.\n";
    const auto surrogates = summary.value("surrogates", std::int64_t{0});
    text += surrogates > 0
                ? "Compared with " + std::to_string(surrogates) +
                      " chance series per symbol. A small p means that the series differs from "
                      "chance, not that the count will come true.\n"
                : "Not compared with chance: use --set surrogates=100 to assess scores.\n";
    text += std::to_string(summary.value("bars", std::int64_t{0})) + " bars, " +
            std::to_string(summary.value("starts", std::int64_t{0})) + " starts, " +
            std::to_string(summary.value("valid", std::int64_t{0})) +
            " valid counts; complete: " + (summary.value("complete", false) ? "yes" : "no") + "\n";
    for (const json& omission : summary.at("omissions")) {
        text += "  " + omission.get<std::string>() + "\n";
    }
    const json& computed = summary.at("computed");
    std::set<std::string> nodes;
    for (const json& it : computed) nodes.insert(it.value("node", ""));
    for (const json& it : computed) {
        const auto symbols = it.value("symbols", std::int64_t{0});
        const auto chances = it.value("surrogates", std::int64_t{0});
        const std::string why = it.value("why", "");
        text += "Searched by " + it.value("by", "") +
                (nodes.size() > 1 ? " of " + it.value("node", "") : "") + ": " +
                std::to_string(symbols) + (symbols == 1 ? " symbol" : " symbols") +
                (chances > 0 ? " and " + std::to_string(chances) + " chance series." : ".") +
                (why.empty() ? "" : " ") + why + "\n";
    }
    if (summary.contains("rarity_note") && summary["rarity_note"].is_string()) {
        text += summary["rarity_note"].get<std::string>() + "\n";
    }
    for (const json& note : summary.at("ignored_settings")) {
        text += "  " + note.value("key", "") + " has no effect: " + note.value("reason", "") + "\n";
    }
    return text;
}

}  // namespace plimsoll::jobs::waves
