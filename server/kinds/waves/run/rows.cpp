#include "server/kinds/waves/run/rows.hpp"

#include "engine/base/json.hpp"
#include "engine/waves/output/json.hpp"
#include "engine/waves/output/words.hpp"
#include "engine/waves/scan/count_parts.hpp"
#include "server/kinds/waves/contract/failed_rows.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::jobs::waves {

namespace engine = ::plimsoll::waves;

namespace {

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

// Among many symbols the luckiest one looks good by chance: this corrects the best counts for it.
void add_false_discovery_rates(std::vector<json>& symbols) {
    std::vector<double> p_values;
    std::vector<json*> judged;
    for (json& symbol : symbols) {
        symbol["false_discovery_rate"] = nullptr;
        if (symbol["best"].is_null() || symbol["best"]["p_value"].is_null()) continue;
        p_values.push_back(symbol["best"]["p_value"]);
        judged.push_back(&symbol);
    }
    const auto rates = engine::false_discovery_rates(p_values);
    for (std::size_t i = 0; i < rates.size(); ++i) (*judged[i])["false_discovery_rate"] = rates[i];
}

// What is live at the last bar first, then best counts that are still valid; then the smaller p,
// then the rarer best count, where rarities are unknown the one that scores higher; symbols without
// a count last.
bool ranks_before(const json& a, const json& b) {
    if (a.at("live").is_null() != b.at("live").is_null()) return b.at("live").is_null();
    const json& x = a.at("best");
    const json& y = b.at("best");
    if (x.is_null() && y.is_null()) return a.at("index") < b.at("index");
    if (x.is_null() || y.is_null()) return y.is_null();
    if (x.at("invalidated") != y.at("invalidated")) return y.at("invalidated").get<bool>();
    const auto p = [](const json& best) {
        return best.at("p_value").is_null() ? 1.0 : best.at("p_value").get<double>();
    };
    if (p(x) != p(y)) return p(x) < p(y);
    const auto standing = [](const json& best) {
        return best.at(best.at("rarity").is_null() ? "score" : "rarity").get<double>();
    };
    if (standing(x) != standing(y)) return standing(x) > standing(y);
    return a.at("index") < b.at("index");
}

json patterns_json(engine::Mode mode) {
    json patterns = json::array();
    for (int shape = 0; shape < engine::kShapes; ++shape) {
        for (const bool rising : {true, false}) {
            const auto it = static_cast<engine::Shape>(shape);
            if (engine::find_pattern(it, rising, mode) == nullptr) continue;
            patterns.push_back({{"rule_name", to_string(it)},
                                {"direction", rising ? "up" : "down"},
                                {"pattern", engine::output::pattern_words(it, rising)}});
        }
    }
    return patterns;
}

// The nodes that each rule pruned, the most effective rule first.
json pruned_json(const engine::Coverage& coverage) {
    std::vector<std::pair<std::string, std::uint64_t>> rules(coverage.pruned.begin(),
                                                             coverage.pruned.end());
    std::ranges::sort(rules, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    json out = json::array();
    for (const auto& [rule, nodes] : rules) out.push_back({{"rule", rule}, {"nodes", nodes}});
    return out;
}

json notes_json(const std::vector<engine::KeyNote>& notes) {
    json out = json::array();
    for (const auto& note : notes) out.push_back({{"key", note.key}, {"reason", note.reason}});
    return out;
}

}  // namespace

json prices_json(const engine::SymbolReport& report, std::size_t begin, std::size_t end) {
    const engine::Series& series = report.series;
    const std::size_t step = (end - begin + kMaxPoints - 1) / kMaxPoints;
    json dates = json::array();
    json open = json::array();
    json high = json::array();
    json low = json::array();
    json close = json::array();
    for (std::size_t i = begin; i < end; i += step) {
        const std::size_t to = std::min(i + step, end);
        const auto at = [](const std::vector<double>& column, std::size_t index) {
            return column.begin() + static_cast<std::ptrdiff_t>(index);
        };
        if (!series.time.empty())
            dates.push_back(engine::output::bar_words(report, static_cast<std::int32_t>(i)));
        close.push_back(series.close[to - 1]);
        if (series.close_only && step == 1) continue;
        open.push_back(series.open[i]);
        high.push_back(*std::max_element(at(series.high, i), at(series.high, to)));
        low.push_back(*std::min_element(at(series.low, i), at(series.low, to)));
    }
    return {{"first", report.offset + begin},
            {"step", step},
            {"bars", end - begin},
            {"dates", std::move(dates)},
            {"open", open},
            {"high", high},
            {"low", low},
            {"close", close}};
}

json close_up_json(const engine::SymbolReport& report, const engine::CountReport& count) {
    const auto bars = static_cast<std::int32_t>(report.series.size());
    const std::int32_t span = count.count.end() - count.count.begin() + 1;
    const auto begin = std::max(0, count.count.begin() - span / 4 - 2);
    const auto end = count.outlook.live ? bars : std::min(bars, count.count.end() + span / 2 + 3);
    return prices_json(report, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
}

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
    if (report.series.size() > kMaxPoints) {
        for (const auto* counts : {&report.live, &report.counts, &report.open})
            for (const engine::CountReport& count : *counts)
                row["close_ups"].push_back(close_up_json(report, count));
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

json summary_json(const Request& request, Partial all) {
    const engine::Settings& settings = request.settings;
    std::vector<json> ranking = std::move(all.symbols.get_ref<json::array_t&>());
    const std::size_t counted = ranking.size();
    add_false_discovery_rates(ranking);
    std::ranges::sort(ranking, ranks_before);
    const std::size_t left_out = counted - std::min(counted, kRankedSymbols);
    ranking.resize(counted - left_out);
    const std::string rarity_note = engine::output::rarity_note(settings);
    json out = {
        {"mode", settings.mode == engine::Mode::standard ? "standard" : "compatible"},
        {"preset", request.preset},
        {"settings", request.given},
        {"ignored_settings", notes_json(request.notes)},
        {"ranked_by", settings.by_rarity() ? "rarity" : "score"},
        {"rarity_note", rarity_note.empty() ? json(nullptr) : json(rarity_note)},
        {"computed", std::move(all.computed)},
        {"surrogates", settings.surrogates},
        {"surrogate_method", engine::kSurrogateMethods[static_cast<std::size_t>(settings.method)]},
        {"seed", settings.seed},
        {"symbols", counted + all.failed},
        {"bars", all.bars},
        {"starts", all.coverage.starts},
        {"windows", all.coverage.windows},
        {"nodes", all.coverage.nodes},
        {"valid", all.coverage.valid_counts()},
        {"complete", all.coverage.complete()},
        {"omissions", engine::output::omissions(all.coverage)},
        {"pruned", pruned_json(all.coverage)},
        {"patterns", patterns_json(settings.mode)},
        {"ranking", std::move(ranking)},
        {"ranking_omitted", left_out},
        {"errors", std::move(all.errors)},
        {"seconds", settings.profile ? json(all.seconds) : json(nullptr)},
    };
    return out;
}

}  // namespace plimsoll::jobs::waves
