#pragma once

#include "server/client/session.hpp"

#include <string>

// Reports that the team pinned. Each returns the process's exit code (see session.hpp).
namespace plimsoll::client {

int list_baselines(const Session& session);
// The job's report becomes the one that later ones like it are compared with.
Result<nlohmann::json> pin_report(ApiClient& api, const std::string& job_id);
int pin_baseline(const Session& session, const std::string& job_id);
int remove_baseline(const Session& session, const std::string& id);

}  // namespace plimsoll::client
