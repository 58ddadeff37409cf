#pragma once

#include "engine/market/clock.hpp"
#include "server/jobs/kind.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// SentimentPolicyUpdate of the contract each, by id.
inline constexpr Collection kPolicies{"sentiment_policy", 50, 50};
inline constexpr std::array kCollections = {kPolicies};

// The policy of the server's settings, which every team has.
inline constexpr std::string_view kServerPolicy = "server";

// A rule holds when the market is in one of the states and the text comes from one of the sources.
struct PolicyRule {
    std::vector<market::Status> markets;  // empty: any
    std::vector<std::string> sources;     // empty: any, and none
    std::string model;
};

// Which model scores a text: that of the first rule that holds.
struct Policy {
    std::vector<PolicyRule> rules;
    std::string model;                  // where no rule holds
    std::vector<std::string> fallback;  // where the chosen model cannot be used: the first that can
    std::string form;                   // of all models: an argument `form`
    nlohmann::json clock;               // the members that parse_clock() reads
};

// `definition` has passed its schema; what a schema cannot say is checked here.
tl::expected<Policy, FieldErrors> parse_policy(const nlohmann::json& definition);

// Calendar, hold and overrides of a definition or of Policy::clock.
tl::expected<market::Clock, FieldErrors> parse_clock(const nlohmann::json& definition);

// open: regular; extended: after_hours. None: no such state.
std::optional<market::Status> parse_market_status(std::string_view name);

// "/rules/3", by a rule's place.
std::string rule_pointer(std::size_t rule);

}  // namespace plimsoll::jobs::sentiment
