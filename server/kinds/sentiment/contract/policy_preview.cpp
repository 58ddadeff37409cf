#include "server/kinds/sentiment/contract/policy_preview.hpp"

#include "engine/base/json.hpp"

#include <algorithm>

namespace plimsoll::jobs::sentiment {
namespace {

constexpr std::int64_t kDay = 86400;

std::string time_of(std::int64_t seconds) {
    return to_rfc3339(Timestamp{std::chrono::seconds(seconds)});
}

// The context from which a policy's choices are made.
struct Preview {
    Chooser chooser;
    std::string source;

    json rule(const ModelChoice& choice) const {
        const bool is_rule = choice.chain < chooser.policy().rules.size();
        return is_rule ? json(choice.chain + 1) : json(nullptr);
    }
    const ModelChain& chain(const ModelChoice& choice) const {
        return chooser.policy().chains[choice.chain];
    }
    json span(const ModelChoice& choice, std::int64_t from, std::int64_t until) const {
        return {{"from", time_of(from)},
                {"until", time_of(until)},
                {"market", to_string(choice.market.status)},
                {"rule", rule(choice)},
                {"model", chain(choice).models.front().name}};
    }
    json choice(const ModelChoice& choice) const {
        const auto& models = chain(choice);
        return {{"market", to_string(choice.market.status)},
                {"market_until",
                 chooser.is_overridden() ? json(nullptr) : json(time_of(choice.market.end))},
                {"rule", rule(choice)},
                {"asked", models.asked},
                {"model", models.models.front().name},
                {"model_hash", text_or_null(models.models.front().hash)},
                {"form", text_or_null(models.models.front().form)},
                {"reason", chooser.reason(choice, source)},
                {"fallback", text_or_null(models.missing)}};
    }
};

}  // namespace

tl::expected<json, FieldErrors> preview_policy(const json& definition,
                                               std::span<const Manifest> models,
                                               const PreviewQuestion& question) {
    const auto at =
        std::chrono::floor<std::chrono::seconds>(question.at.time_since_epoch()).count();
    TRY(const auto policy, parse_policy(definition));
    TRY(auto resolved, resolve({}, policy, models, at));
    auto chooser = Chooser::of(std::move(resolved));
    if (!chooser) return tl::unexpected(FieldErrors{{"", "calendar", chooser.error().message}});
    Preview preview{std::move(*chooser), question.source};
    const auto first = preview.chooser.choose_at(at, preview.source);
    if (!first) return tl::unexpected(FieldErrors{{"/at", "range", first.error().message}});
    json spans = json::array();
    json next_switch = nullptr;
    const auto until = at + question.days * kDay;
    for (auto from = at; from < until;) {
        const auto choice = preview.chooser.choose_at(from, preview.source);
        if (!choice) break;  // the end of the calendar
        const auto end = std::min(choice->market.end, until);
        spans.push_back(preview.span(*choice, from, end));
        if (next_switch.is_null() && spans.back()["model"] != spans.front()["model"])
            next_switch = spans.back();
        from = end;
    }
    return json{{"at", time_of(at)},
                {"choice", preview.choice(*first)},
                {"next_switch", std::move(next_switch)},
                {"spans", std::move(spans)}};
}

}  // namespace plimsoll::jobs::sentiment
