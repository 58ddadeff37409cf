#include "server/kinds/sentiment/contract/model_choice.hpp"

#include "server/base/time.hpp"
#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <algorithm>

namespace plimsoll::jobs::sentiment {
namespace {

tl::expected<ModelChain, FieldErrors> chain_of(const std::string& asked, const Policy& policy,
                                               std::span<const Manifest> models,
                                               const std::string& pointer) {
    ModelChain chain{.asked = asked, .models = {}, .missing = {}};
    FieldErrors refused;
    const auto consider = [&](const std::string& name) {
        if (std::ranges::find(chain.models, name, &UsableModel::name) != chain.models.end()) return;
        if (name == kVader) {
            chain.models.push_back({name, {}, {}});
        } else if (const auto found = std::ranges::find(models, name, &Manifest::name);
                   found != models.end()) {
            auto form = form_of(*found, policy.form);
            if (!form) refused = std::move(form.error());
            chain.models.push_back({name, found->hash, form ? std::move(*form) : std::string()});
        }
    };
    consider(asked);
    if (chain.models.empty()) chain.missing = "no worker has " + asked;
    for (const auto& name : policy.fallback) consider(name);
    if (!refused.empty()) return tl::unexpected(std::move(refused));
    if (chain.models.empty()) {
        return tl::unexpected(FieldErrors{
            {pointer, "unknown_model",
             "No worker has a model \"" + asked + "\" or one of the policy's fallbacks."}});
    }
    return chain;
}

bool holds(const PolicyRule& rule, market::Status status, std::string_view source) {
    const auto names = [](const auto& list, const auto& one) {
        return list.empty() || std::ranges::find(list, one) != list.end();
    };
    return names(rule.markets, status) && names(rule.sources, source);
}

}  // namespace

tl::expected<ResolvedPolicy, FieldErrors> resolve(std::string id, const Policy& policy,
                                                  std::span<const Manifest> models,
                                                  std::int64_t at) {
    ResolvedPolicy resolved{
        .id = std::move(id), .rules = policy.rules, .chains = {}, .clock = policy.clock, .at = at};
    for (std::size_t i = 0; i <= policy.rules.size(); ++i) {
        const bool is_rule = i < policy.rules.size();
        TRY(auto chain, chain_of(is_rule ? policy.rules[i].model : policy.model, policy, models,
                                 (is_rule ? rule_pointer(i) : "") + "/model"));
        resolved.chains.push_back(std::move(chain));
    }
    return resolved;
}

Result<Chooser> Chooser::of(ResolvedPolicy policy) {
    auto clock = parse_clock(policy.clock);
    if (!clock) return fail(Errc::unavailable, clock.error().front().message);
    return Chooser(std::move(policy), std::move(*clock));
}

Result<ModelChoice> Chooser::choose(std::optional<std::string_view> time, std::string_view source) {
    if (!time) return choose_at(policy_.at, source);
    const auto parsed = parse_rfc3339(std::string(*time));
    if (!parsed) {
        return fail(Errc::invalid_input,
                    "The text's time must be an RFC 3339 time with a zone, such as "
                    "\"2026-03-02T14:30:00Z\".");
    }
    return choose_at(std::chrono::floor<std::chrono::seconds>(parsed->time_since_epoch()).count(),
                     source);
}

Result<ModelChoice> Chooser::choose_at(std::int64_t seconds, std::string_view source) {
    if (seconds < last_.begin || seconds >= last_.end) {
        TRY(last_, clock_.at(seconds));
    }
    const auto& rules = policy_.rules;
    const auto found = std::ranges::find_if(
        rules, [&](const PolicyRule& rule) { return holds(rule, last_.status, source); });
    return ModelChoice{static_cast<std::size_t>(found - rules.begin()), last_};
}

std::vector<std::size_t> Chooser::possible(market::Status status) const {
    std::vector<std::size_t> chains;
    for (std::size_t i = 0; i < policy_.rules.size(); ++i) {
        const auto& rule = policy_.rules[i];
        const bool fits =
            rule.markets.empty() || std::ranges::find(rule.markets, status) != rule.markets.end();
        if (!fits) continue;
        chains.push_back(i);
        if (rule.sources.empty()) return chains;  // the models after it are never used
    }
    chains.push_back(policy_.rules.size());
    return chains;
}

Result<std::vector<UsableModel>> Chooser::models_to_come(std::int64_t now, std::int64_t until) {
    std::vector<UsableModel> used;
    std::vector<UsableModel> coming;
    for (auto at = now; at < until;) {
        TRY(const auto choice, choose_at(at, {}));
        for (const auto chain : possible(choice.market.status)) {
            const auto& model = policy_.chains[chain].models.front();
            auto& models = at == now ? used : coming;
            if (std::ranges::find(models, model) == models.end()) models.push_back(model);
        }
        at = choice.market.end;
    }
    std::erase_if(coming, [&](const UsableModel& model) {
        return model.hash.empty() || std::ranges::find(used, model) != used.end();
    });
    return coming;
}

std::string Chooser::reason(const ModelChoice& choice, std::string_view source) const {
    if (choice.chain == policy_.rules.size()) return "no rule matches";
    const auto& rule = policy_.rules[choice.chain];
    std::string text = "rule " + std::to_string(choice.chain + 1) + ": ";
    if (!rule.markets.empty()) text += "market " + std::string(to_string(choice.market.status));
    if (!rule.sources.empty())
        text += (rule.markets.empty() ? "source " : ", source ") + std::string(source);
    return text;
}

}  // namespace plimsoll::jobs::sentiment
