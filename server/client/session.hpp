#pragma once

#include "engine/base/result.hpp"
#include "server/client/api_client.hpp"

#include <string>

namespace plimsoll::client {

// The client of the server that `plimsoll login` signed in to. Errc::unauthenticated if there is
// none.
Result<ApiClient> signed_in();

// The part of a job's ID that no other job shares, its sequence: "1c" of job_0m7g00000001c.
std::string short_job_id(const std::string& id);

// Completes the ID of a job where it is short.
Result<void> complete_job_id(ApiClient& api, std::string& job);

// As signed_in(), and completes the ID of a job.
Result<ApiClient> signed_in(std::string& job);

// Revokes a token. One that the server no longer accepts counts as revoked.
Result<void> revoke(const std::string& server, const std::string& token);

}  // namespace plimsoll::client
