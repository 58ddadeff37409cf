#pragma once

#include "engine/base/members.hpp"
#include "server/jobs/kind.hpp"
#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/policy.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// What it took to score the team's texts of recent days; see store/sentiment_speed.sql. By
// resident_name(); empty for VADER.
inline constexpr Collection kSpeeds{.name = "sentiment_speed", .planning = 1000};

struct Speed {
    double seconds = 0;
    std::int64_t texts = 0;  // 0: none

    double seconds_per_text() const { return seconds / static_cast<double>(texts); }

    static void members(auto& visit, auto& self) {
        visit("seconds", self.seconds);
        visit("texts", self.texts);
    }
};

inline Speed speed_of(std::span<const TeamRecord> speeds, std::string_view resident_name) {
    const auto found = std::ranges::find(speeds, resident_name, &TeamRecord::id);
    return found == speeds.end() ? Speed() : from_text<Speed>(found->data).value();
}

// A model that may score texts; VADER has neither hash nor form.
struct UsableModel {
    std::string name;
    std::string hash;
    std::string form;

    auto operator<=>(const UsableModel&) const = default;

    static void members(auto& visit, auto& self) {
        visit("model", self.name);
        visit("model_hash", self.hash);
        visit("form", self.form);
    }
};

// The models to try, in order, for a rule, or for a policy if no rule matches. Those that no worker
// has are omitted.
struct ModelChain {
    std::string asked;
    std::vector<UsableModel> models;
    std::string missing;  // why the first differs from the request; else empty

    bool operator==(const ModelChain&) const = default;

    static void members(auto& visit, auto& self) {
        visit("asked", self.asked);
        visit("models", self.models);
        visit("missing", self.missing);
    }
};

// A policy resolved to available models, as stored with a job.
struct ResolvedPolicy {
    std::string id;
    std::vector<PolicyRule> rules;
    std::vector<ModelChain> chains;  // by rule; the last one if no rule matches
    nlohmann::json clock = nlohmann::json::object();
    std::int64_t at = 0;  // for texts without a time, in seconds since 1970 UTC

    bool operator==(const ResolvedPolicy&) const = default;

    static void members(auto& visit, auto& self) {
        visit("id", self.id);
        visit("rules", self.rules);
        visit("chains", self.chains);
        visit("clock", self.clock);
        visit("at", self.at);
    }
};

// Fails, with the pointer in the policy, if no model is left to try or a model cannot be used in
// the policy's form.
tl::expected<ResolvedPolicy, FieldErrors> resolve(std::string id, const Policy& policy,
                                                  std::span<const Manifest> models,
                                                  std::int64_t at);

struct ModelChoice {
    std::size_t chain = 0;
    market::Span market;  // the state that decided, and how long it lasts
};

// Chooses the chain that scores a text, by its time and source.
class Chooser {
  public:
    // Errc::unavailable: this machine lacks the time zone.
    static Result<Chooser> of(ResolvedPolicy policy);

    const ResolvedPolicy& policy() const { return policy_; }

    // `time`: RFC 3339; none: the policy's time. Errc::invalid_input: not a time, or outside the
    // calendar.
    Result<ModelChoice> choose(std::optional<std::string_view> time, std::string_view source);
    Result<ModelChoice> choose_at(std::int64_t seconds, std::string_view source);

    // Which chains may score texts in this state of the market, whatever their source.
    std::vector<std::size_t> possible(market::Status status) const;

    // Models that cannot be chosen at `now` but can before `until`, after switches that are due.
    // Errc::invalid_input: outside the calendar.
    Result<std::vector<UsableModel>> models_to_come(std::int64_t now, std::int64_t until);

    // The market's state is given, whatever the time.
    bool is_overridden() const { return clock_.is_overridden(); }

    // "rule 2: market regular, source businesswire", or "no rule matches".
    std::string reason(const ModelChoice& choice, std::string_view source) const;

  private:
    Chooser(ResolvedPolicy policy, market::Clock clock)
        : policy_(std::move(policy)), clock_(std::move(clock)) {}

    ResolvedPolicy policy_;
    market::Clock clock_;
    market::Span last_;  // of the last text: the next one usually has the same time
};

}  // namespace plimsoll::jobs::sentiment
