#include "server/kinds/waves/run/rows.hpp"

#include "engine/waves/output/json.hpp"
#include "engine/waves/output/words.hpp"
#include "server/kinds/waves/contract/failed_rows.hpp"
#include "server/kinds/waves/run/chart.hpp"

#include <algorithm>

namespace plimsoll::jobs::waves {
namespace {

using nlohmann::json;

json best_count(const engine::SymbolReport& report) {
    constexpr std::array kMembers = {"rule_name", "direction",    "score",       "rarity",
                                     "p_value",   "verdict",      "count_start", "count_end",
                                     "expects",   "invalidation", "invalidated", "target"};
    json out;
    for (const char* member : kMembers) out[member] = nullptr;
    if (report.counts.empty()) return out;
    const engine::CountReport& best = report.counts.front();
    out["rule_name"] = to_string(best.count.shape);
    out["direction"] = best.count.rising ? "up" : "down";
    out["score"] = best.count.score;
    if (report.by_rarity) out["rarity"] = best.count.standing;
    out["count_start"] = engine::output::bar_words(report, best.count.begin());
    out["count_end"] = engine::output::bar_words(report, best.count.end());
    out["expects"] = best.outlook.expects;
    out["invalidation"] = best.outlook.invalidation;
    out["invalidated"] = best.outlook.invalidated;
    if (!best.outlook.targets.empty()) out["target"] = best.outlook.targets.front().price;
    return out;
}

// What is live at the last bar, in a line; nulls: nothing is.
void live_columns(const engine::SymbolReport& report, json& row) {
    const json live = live_json(report);
    row["live"] = live.is_null() ? live : live.at("pattern");
    for (const char* member : {"expects", "target", "invalidation"})
        row[std::string("live_") + member] = live.is_null() ? live : live.at(member);
}

void judge_columns(const engine::Judgement& judgement, json& row) {
    const double p = engine::Chance::p_value(judgement.counts.front().k, judgement.surrogates);
    row["p_value"] = p;
    row["verdict"] = engine::verdict(p);
}

}  // namespace

json live_json(const engine::SymbolReport& report) {
    if (report.live.empty()) return nullptr;
    const engine::CountReport& it = report.live.front();
    const auto next = std::ranges::find_if(it.outlook.targets,
                                           [](const auto& target) { return target.reached < 0; });
    return {{"pattern", engine::output::pattern_words(it.count.shape, it.count.rising)},
            {"start", engine::output::bar_words(report, it.count.begin())},
            {"end", engine::output::bar_words(report, it.count.end())},
            {"expects", it.outlook.expects},
            {"target", next->price},
            {"invalidation", it.outlook.invalidation},
            {"score", it.count.score},
            {"rarity", report.by_rarity ? json(it.count.standing) : json(nullptr)}};
}

json result_row(std::int64_t index, const engine::SymbolReport& report, bool profile) {
    if (!report.ok()) {
        return json::parse(failed_row(index, report.symbol, "invalid_prices",
                                      error_text(report.errors, report.error_count)));
    }
    const auto last = static_cast<std::int32_t>(report.series.size()) - 1;
    json row = best_count(report);
    live_columns(report, row);
    if (report.surrogates > 0) judge_columns(engine::Judgement(report), row);
    row["index"] = index;
    row["symbol"] = report.symbol;
    row["bars"] = report.series.size();
    row["date_start"] = engine::output::bar_words(report, 0);
    row["date_end"] = engine::output::bar_words(report, last);
    row["valid"] = report.coverage.valid_counts();
    row["complete"] = report.coverage.complete();
    row["error_code"] = nullptr;
    row["error"] = nullptr;
    row["report"] = engine::output::symbol_json(report, profile);
    row["prices"] = prices_json(report, 0, report.series.size());
    row["close_ups"] = json::array();
    if (report.series.size() > kMostPoints) {
        for (const auto* counts : {&report.live, &report.counts, &report.open}) {
            for (const engine::CountReport& count : *counts) {
                row["close_ups"].push_back(close_up_json(report, count));
            }
        }
    }
    return row;
}

void judge_row(const engine::Judgement& judgement, json& row) {
    if (judgement.surrogates == 0 || row.at("report").is_null()) return;
    engine::output::add_judgement(judgement, row["report"]);
    judge_columns(judgement, row);
}

std::string row_text(json row) {
    const std::string head = row_head(row.at("index"), row.at("symbol"));
    row.erase("index");
    row.erase("symbol");
    return head + "," + row.dump().substr(1) + "\n";
}

}  // namespace plimsoll::jobs::waves
