#pragma once

#include "engine/base/members.hpp"
#include "engine/market/clock.hpp"
#include "server/jobs/kind.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// Each a SentimentPolicyUpdate of the contract, by ID.
inline constexpr Collection kPolicies{.name = "sentiment_policy",
                                      .singular = "team's policy",
                                      .plural = "policies",
                                      .max = 50,
                                      .planning = 50,
                                      .is_named = true};

// The policy from the server's settings, which every team has.
inline constexpr std::string_view kServerPolicy = "server";

// A rule matches if the market is in one of the states and the text comes from one of the sources.
struct PolicyRule {
    std::vector<market::Status> markets;  // empty: any
    std::vector<std::string> sources;     // empty: any, including none
    std::string model;

    bool operator==(const PolicyRule&) const = default;

    // As a plan stores it, with the model in a ModelChain.
    static void members(auto& visit, auto& self) {
        visit("markets", self.markets);
        visit("sources", self.sources);
    }
};

// The model that scores a text: that of the first matching rule.
struct Policy {
    std::vector<PolicyRule> rules;
    std::string model;                  // if no rule matches
    std::vector<std::string> fallback;  // tried in order if the chosen model cannot be used
    std::string form;                   // the form of all models, as in the argument `form`
    nlohmann::json clock;               // the members that parse_clock() reads
};

// `definition` has passed its schema; other rules are checked here.
tl::expected<Policy, FieldErrors> parse_policy(const nlohmann::json& definition);

// Calendar, hold and overrides of a definition or of Policy::clock.
tl::expected<market::Clock, FieldErrors> parse_clock(const nlohmann::json& definition);

// open: regular; extended: after_hours. None: an unknown state.
std::optional<market::Status> parse_market_status(std::string_view name);

// "/rules/3", by a rule's place.
std::string rule_pointer(std::size_t rule);

}  // namespace plimsoll::jobs::sentiment
