#pragma once

#include "server/jobs/settings.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// The model of jobs that name neither a model nor a policy, unless they follow the policy `server`.
std::string default_model(const KindSettings& settings);

// Whether jobs that name neither follow the policy `server`.
bool follows_server_policy(const KindSettings& settings);

// The policy `server` as a SentimentPolicyUpdate, from the settings.
nlohmann::json server_policy(const KindSettings& settings);

// The keys of the settings by which jobs use the model.
std::vector<std::string> settings_that_name(const KindSettings& settings, std::string_view model);

}  // namespace plimsoll::jobs::sentiment
