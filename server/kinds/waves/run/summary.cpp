#include "server/kinds/waves/run/summary.hpp"

#include "engine/waves/output/words.hpp"
#include "engine/waves/scan/count_parts.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::jobs::waves {
namespace {

using nlohmann::json;

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
