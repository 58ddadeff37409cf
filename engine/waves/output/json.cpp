#include "engine/waves/output/json.hpp"

#include "engine/base/json.hpp"
#include "engine/waves/output/words.hpp"
#include "engine/waves/series/timestamps.hpp"

#include <algorithm>

namespace plimsoll::waves::output {
namespace {

// Rankings by scores have no rarity.
json rarity_json(const SymbolReport& report, double standing) {
    return report.by_rarity ? json(standing) : json(nullptr);
}

json expected_json(const SymbolReport& report, double standing) {
    return report.by_rarity ? json(expected_counts(standing)) : json(nullptr);
}

// The pivots of a count: indices and dates, or indices alone.
json pivots_json(const SymbolReport& report, const Found& found) {
    json pivots = json::array();
    for (int i = 0; i <= found.waves; ++i)
        pivots.push_back(report.offset + static_cast<std::size_t>(found.at[i]));
    return pivots;
}

json wave_json(const SymbolReport& report, const CountReport& it, int wave) {
    const auto begin = report.offset + static_cast<std::size_t>(it.count.at[wave - 1]);
    const auto end = report.offset + static_cast<std::size_t>(it.count.at[wave]);
    const double from = it.prices[wave - 1];
    const double to = it.prices[wave];
    return {{"idx_start", begin},
            {"idx_end", end},
            {"low", std::min(from, to)},
            {"high", std::max(from, to)},
            {"low_idx", from < to ? begin : end},
            {"high_idx", from < to ? end : begin},
            {"length", std::abs(to - from)},
            {"duration", end - begin}};
}

json coverage_json(const Coverage& coverage) {
    return {{"complete", coverage.complete()}, {"omissions", omissions(coverage)},
            {"starts", coverage.starts},       {"windows", coverage.windows},
            {"nodes", coverage.nodes},         {"valid", coverage.valid_counts()},
            {"pruned", coverage.pruned}};
}

json flags_json(const SymbolReport& report) {
    json splits = json::array();
    for (std::size_t bar : report.flags.splits)
        splits.push_back(bar_words(report, static_cast<std::int32_t>(bar)));
    return {{"prices_outside_bar", report.flags.outside},
            {"gaps", report.flags.gaps},
            {"longest_gap_seconds", report.flags.longest_gap},
            {"possible_splits", std::move(splits)}};
}

json kind_json(const SymbolReport& report, const KindReport& kind) {
    return {{"rule_name", to_string(kind.shape)},
            {"direction", kind.rising ? "up" : "down"},
            {"valid", kind.valid},
            {"best_score", kind.valid > 0 ? json(kind.best) : json(nullptr)},
            {"best_rarity", kind.valid > 0 ? rarity_json(report, kind.standing) : json(nullptr)}};
}

json chance_json(const Chance& chance, std::uint32_t surrogates, bool by_rarity) {
    return {{"surrogates", surrogates},
            {"k", chance.k},
            {"p_value", Chance::p_value(chance.k, surrogates)},
            {"percentile", 100.0 * (surrogates - chance.k) / surrogates},
            {"k_pattern", chance.k_kind},
            {"p_value_pattern", Chance::p_value(chance.k_kind, surrogates)},
            {"verdict", verdict(Chance::p_value(chance.k, surrogates))},
            {"explanation", chance_words(chance, surrogates, by_rarity)}};
}

}  // namespace

json parts_json(const Parts& parts) {
    json out = json::object();
    for (std::size_t i = 0; i < kParts; ++i) {
        const auto part = static_cast<Part>(i);
        if (parts.has(part)) out[std::string(to_string(part))] = parts[part];
    }
    return out;
}

json outlook_json(const Outlook& outlook, const Series& series, std::size_t offset) {
    json targets = json::array();
    for (const Target& target : outlook.targets) {
        targets.push_back({{"price", target.price}, {"basis", target.basis}});
        if (target.risk_multiple > 0) targets.back()["risk_multiple"] = target.risk_multiple;
        if (target.reached >= 0)
            targets.back()["reached"] = date_words(series, target.reached, offset);
    }
    return {{"expects", outlook.expects},
            {"direction", outlook.upward ? "up" : "down"},
            {"invalidation", outlook.invalidation},
            {"invalidated", outlook.invalidated},
            {"live", outlook.live},
            {"targets", std::move(targets)}};
}

json brief_json(const SymbolReport& report, const Found& found) {
    return {{"rule_name", to_string(found.shape)},
            {"direction", found.rising ? "up" : "down"},
            {"ensemble_score", found.score},
            {"rarity", rarity_json(report, found.standing)},
            {"waves_done", found.waves},
            {"pivots", pivots_json(report, found)},
            {"start", bar_words(report, found.begin())},
            {"end", bar_words(report, found.end())}};
}

json count_json(const SymbolReport& report, const CountReport& it) {
    const Found& found = it.count;
    json waves = json::object();
    for (int wave = 1; wave <= found.waves; ++wave)
        waves["wave" + std::to_string(wave)] = wave_json(report, it, wave);
    json labels = json::array();
    json dates = json::array();
    for (int i = 0; i <= found.waves; ++i) {
        labels.push_back(end_label(found.shape, i));
        dates.push_back(bar_words(report, found.at[i]));
    }
    json rules = json::array();
    for (const RuleMargin& rule : it.rules)
        rules.push_back({{"name", rule.name},
                         {"text", rule.text},
                         {"margin", rule.margin ? json(*rule.margin) : json(nullptr)}});
    json alternates = json::array();
    for (const Found& other : it.alternates) alternates.push_back(brief_json(report, other));
    json out = {
        {"symbol", report.symbol},
        {"rule_name", to_string(found.shape)},
        {"pattern", pattern_words(found.shape, found.rising)},
        {"direction", found.rising ? "up" : "down"},
        {"ensemble_score", found.score},
        {"rarity", rarity_json(report, found.standing)},
        {"rarity_text", report.by_rarity ? json(rarity_words(found.standing)) : json(nullptr)},
        {"expected_by_chance", expected_json(report, found.standing)},
        {"fib_score", it.parts[Part::fibonacci]},
        {"parts", parts_json(it.parts)},
        {"waves_done", found.waves},
        {"start_row", report.offset + static_cast<std::size_t>(found.window_begin)},
        {"window_len", found.window_end - found.window_begin},
        {"idx_start", report.offset + static_cast<std::size_t>(found.begin())},
        {"idx_end", report.offset + static_cast<std::size_t>(found.end())},
        {"date_start", dates.front()},
        {"date_end", dates.back()},
        {"wave_config", it.skips},
        {"pivots", pivots_json(report, found)},
        {"waves", std::move(waves)},
        {"rules", std::move(rules)},
        {"outlook", outlook_json(it.outlook, report.series, report.offset)},
        {"alternates", std::move(alternates)},
        {"chart", {{"dates", dates}, {"values", it.prices}, {"labels", std::move(labels)}}}};
    if (it.chance) out["chance"] = chance_json(*it.chance, report.surrogates, report.by_rarity);
    return out;
}

void add_judgement(const Judgement& judgement, json& symbol) {
    const bool by_rarity = symbol.at("ranked_by") == "rarity";
    json& counts = symbol.at("counts");
    for (std::size_t i = 0; i < counts.size(); ++i) {
        counts[i]["chance"] = chance_json(judgement.counts.at(i), judgement.surrogates, by_rarity);
        for (json& live : symbol.at("live"))
            if (live.at("pivots") == counts[i].at("pivots") &&
                live.at("pattern") == counts[i].at("pattern"))
                live["chance"] = counts[i]["chance"];
    }
    // Within one pattern: how often chance finds one as good of the same kind.
    json& kinds = symbol.at("patterns");
    for (std::size_t i = 0; i < kinds.size(); ++i)
        if (kinds[i].at("valid") > 0)
            kinds[i]["p_value_pattern"] =
                Chance::p_value(judgement.kinds.at(i).k_kind, judgement.surrogates);
    symbol[by_rarity ? "chance_best_rarities" : "chance_best_scores"] = judgement.best;
}

json symbol_json(const SymbolReport& report, bool profile) {
    if (!report.ok()) {
        json errors = json::array();
        for (const RowError& error : report.errors) {
            errors.push_back({{"message", error.message}});
            if (error.line > 0) errors.back()["line"] = error.line;
        }
        return {{"symbol", report.symbol}, {"errors", errors}, {"error_count", report.error_count}};
    }
    json live = json::array();
    for (const CountReport& it : report.live) live.push_back(count_json(report, it));
    json counts = json::array();
    for (const CountReport& it : report.counts) counts.push_back(count_json(report, it));
    json open = json::array();
    for (const CountReport& it : report.open) open.push_back(count_json(report, it));
    json kinds = json::array();
    for (const KindReport& kind : report.kinds) kinds.push_back(kind_json(report, kind));
    const auto last = static_cast<std::int32_t>(report.series.size()) - 1;
    json out = {{"symbol", report.symbol},
                {"bars", report.series.size()},
                {"first_bar", report.offset},
                {"date_start", bar_words(report, 0)},
                {"date_end", bar_words(report, last)},
                {"time_zone", report.series.has_times_of_day() ? json(report.series.zone.name())
                                                               : json(nullptr)},
                {"last_close", report.series.close.back()},
                {"close_only", report.series.close_only},
                {"ranked_by", report.by_rarity ? "rarity" : "score"},
                {"flags", flags_json(report)},
                {"scan_stats", coverage_json(report.coverage)},
                {"live", std::move(live)},
                {"counts", std::move(counts)},
                {"in_progress", std::move(open)},
                {"patterns", std::move(kinds)}};
    if (report.ranking_cut) out["ranking_note"] = ranking_note(report);
    if (report.surrogates > 0) {
        add_judgement(Judgement(report), out);
        if (report.false_discovery_rate) out["false_discovery_rate"] = *report.false_discovery_rate;
    }
    if (profile) out["seconds"] = report.seconds;
    return out;
}

}  // namespace plimsoll::waves::output
