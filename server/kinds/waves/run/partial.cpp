#include "server/kinds/waves/run/partial.hpp"

#include "engine/base/json.hpp"
#include "engine/base/members.hpp"
#include "engine/text/utf8.hpp"
#include "engine/waves/output/words.hpp"
#include "server/base/gzip.hpp"
#include "server/kinds/waves/contract/failed_rows.hpp"
#include "server/kinds/waves/contract/limits.hpp"
#include "server/kinds/waves/run/rows.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::jobs::waves {
namespace {

constexpr std::size_t kLargestDrafts = 4 * kBytesOfDrafts;  // which is predicted
constexpr std::size_t kErrorsReported = 20;
constexpr std::size_t kReasons = 8;
constexpr std::size_t kLongestError = 500;  // bytes, so that a partial stays small

json best_json(const engine::SymbolReport& report) {
    if (report.counts.empty()) return nullptr;
    const engine::CountReport& best = report.counts.front();
    json out = {
        {"rule_name", to_string(best.count.shape)},
        {"direction", best.count.rising ? "up" : "down"},
        {"pattern", engine::output::pattern_words(best.count.shape, best.count.rising)},
        {"score", best.count.score},
        {"rarity", report.by_rarity ? json(best.count.standing) : json(nullptr)},
        {"rarity_text", report.by_rarity ? json(engine::output::rarity_words(best.count.standing))
                                         : json(nullptr)},
        {"start", engine::output::bar_words(report, best.count.begin())},
        {"end", engine::output::bar_words(report, best.count.end())},
        {"expects", best.outlook.expects},
        {"invalidation", best.outlook.invalidation},
        {"invalidated", best.outlook.invalidated},
        {"k", nullptr},
        {"p_value", nullptr},
        {"verdict", nullptr},
        {"explanation", "Not compared with chance."}};
    return out;
}

// Of each pattern and direction of the mode, in the order of its kinds.
json cells_json(const engine::SymbolReport& report) {
    json cells = json::array();
    for (const engine::KindReport& kind : report.kinds) {
        cells.push_back({{"valid", kind.valid},
                         {"best_score", kind.valid > 0 ? json(kind.best) : json(nullptr)},
                         {"best_rarity",
                          kind.valid > 0 && report.by_rarity ? json(kind.standing) : json(nullptr)},
                         {"p_value", nullptr}});
    }
    return cells;
}

void judge_line(const engine::Judgement& judgement, json& line) {
    if (judgement.surrogates == 0) return;
    json& best = line.at("best");
    const engine::Chance& chance = judgement.counts.front();
    const double p = engine::Chance::p_value(chance.k, judgement.surrogates);
    best["k"] = chance.k;
    best["p_value"] = p;
    best["verdict"] = engine::verdict(p);
    best["explanation"] =
        engine::output::chance_words(chance, judgement.surrogates, !best.at("rarity").is_null());
    json& cells = line.at("cells");
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].at("valid") == 0) continue;
        cells[i]["p_value"] =
            engine::Chance::p_value(judgement.kinds.at(i).k_kind, judgement.surrogates);
    }
}

json chances_json(const std::vector<engine::Chance>& chances) {
    json out = json::array();
    for (const engine::Chance& it : chances) out.push_back({it.k, it.k_kind});
    return out;
}

std::vector<engine::Chance> chances_from(const json& stored) {
    std::vector<engine::Chance> chances;
    for (const json& it : stored) chances.push_back({it.at(0), it.at(1)});
    return chances;
}

json judgements_json(const std::map<std::int64_t, engine::Judgement>& judgements) {
    json out = json::array();
    for (const auto& [index, it] : judgements)
        out.push_back({{"index", index},
                       {"surrogates", it.surrogates},
                       {"counts", chances_json(it.counts)},
                       {"kinds", chances_json(it.kinds)},
                       {"best", it.best}});
    return out;
}

std::map<std::int64_t, engine::Judgement> judgements_from(const json& stored) {
    std::map<std::int64_t, engine::Judgement> judgements;
    for (const json& it : stored) {
        engine::Judgement judgement;
        it.at("surrogates").get_to(judgement.surrogates);
        judgement.counts = chances_from(it.at("counts"));
        judgement.kinds = chances_from(it.at("kinds"));
        it.at("best").get_to(judgement.best);
        judgements[it.at("index")] = std::move(judgement);
    }
    return judgements;
}

json symbol_json(std::int64_t index, const engine::SymbolReport& report) {
    const auto last = static_cast<std::int32_t>(report.series.size()) - 1;
    return {{"index", index},
            {"symbol", report.symbol},
            {"bars", report.series.size()},
            {"date_start", engine::output::bar_words(report, 0)},
            {"date_end", engine::output::bar_words(report, last)},
            {"last_close", report.series.close.back()},
            {"counts", report.coverage.valid_counts()},
            {"live", live_json(report)},
            {"best", best_json(report)},
            {"cells", cells_json(report)}};
}

}  // namespace

void Partial::add(std::int64_t index, const engine::SymbolReport& report) {
    if (!report.ok()) {
        ++failed;
        if (errors.size() == kErrorsReported) return;
        auto message = error_text(report.errors, report.error_count);
        if (message.size() > kLongestError)
            message = std::string(text::utf8_prefix(message, kLongestError)) + "…";
        errors.push_back({{"index", index},
                          {"custom_id", report.symbol},
                          {"error_code", "invalid_prices"},
                          {"error", std::move(message)}});
        return;
    }
    symbols.push_back(symbol_json(index, report));
    judge_line(engine::Judgement(report), symbols.back());
    coverage.add(report.coverage);
    bars += report.series.size();
    seconds += report.seconds;
}

void Partial::add_computed(const engine::SymbolReport& report, std::string_view node,
                           std::uint64_t more) {
    if (!report.ok()) return;
    add_computed({report.computed_by, std::string(node), report.computed_why}, more,
                 report.surrogates);
}

void Partial::judge() {
    const auto of = [this](const json& it) {
        const auto found = judgements.find(it.at("index").get<std::int64_t>());
        return found == judgements.end() ? engine::Judgement{} : found->second;
    };
    if (judgements.empty()) return;
    for (json& line : symbols) judge_line(of(line), line);
    for (json& row : rows) judge_row(of(row), row);
}

void Partial::add(Partial other) {
    for (auto& [index, judgement] : other.judgements) judgements[index].add(judgement);
    for (json& row : other.rows) rows.push_back(std::move(row));
    for (json& symbol : other.symbols) symbols.push_back(std::move(symbol));
    for (json& error : other.errors)
        if (errors.size() < kErrorsReported) errors.push_back(std::move(error));
    for (const json& it : other.computed)
        add_computed({it.at("by"), it.value("node", ""), it.at("why")},
                     it.at("symbols").get<std::uint64_t>(),
                     it.at("surrogates").get<std::uint64_t>());
    coverage.add(other.coverage);
    bars += other.bars;
    failed += other.failed;
    seconds += other.seconds;
}

// If there are many reasons, which differ only in the prediction, the first ones represent all.
void Partial::add_computed(const Searcher& searcher, std::uint64_t more, std::uint64_t surrogates) {
    const auto& [by, node, why] = searcher;
    json* same = nullptr;
    for (json& it : computed) {
        const bool all = it["why"] == why || computed.size() >= kReasons;
        if (it["by"] == by && it["node"] == node && all && same == nullptr) same = &it;
    }
    if (same == nullptr) {
        computed.push_back({{"by", by},
                            {"node", node},
                            {"why", why},
                            {"symbols", more},
                            {"surrogates", surrogates}});
        return;
    }
    (*same)["symbols"] = (*same)["symbols"].get<std::uint64_t>() + more;
    (*same)["surrogates"] = (*same)["surrogates"].get<std::uint64_t>() + surrogates;
}

std::string Partial::packed() const {
    const json told{{"symbols", symbols},   {"errors", errors},
                    {"coverage", coverage}, {"computed", computed},
                    {"bars", bars},         {"failed", failed},
                    {"seconds", seconds},   {"judgements", judgements_json(judgements)}};
    return told.dump() + (rows.empty() ? "" : '\n' + gzip(rows.dump()));
}

Result<Partial> Partial::unpacked(std::string_view packed) try {
    // JSON as it is written here has no line breaks.
    const auto end = std::min(packed.find('\n'), packed.size());
    const std::string_view rows = packed.substr(std::min(end + 1, packed.size()));
    json stored = json::parse(packed.substr(0, end));
    Partial partial;
    partial.symbols = std::move(stored.at("symbols"));
    partial.errors = std::move(stored.at("errors"));
    partial.computed = std::move(stored.at("computed"));
    stored.at("coverage").get_to(partial.coverage);
    stored.at("bars").get_to(partial.bars);
    stored.at("failed").get_to(partial.failed);
    stored.at("seconds").get_to(partial.seconds);
    if (!rows.empty()) {
        TRY(const auto drafts, gunzip(rows, kLargestDrafts));
        partial.rows = json::parse(drafts);
    }
    partial.judgements = judgements_from(stored.at("judgements"));
    return partial;
} catch (const json::exception&) {
    return fail(Errc::corrupt, "A stored partial aggregate is corrupt.");
}

}  // namespace plimsoll::jobs::waves
