#pragma once

#include "server/client/session.hpp"

#include <string>

// The team's own cards on the server; see commands.hpp.
namespace plimsoll::client {

// `file` holds a GpuProfileUpdate of the contract.
int put_gpu_profile(const Session& session, const std::string& id, const std::string& file);
int remove_gpu_profile(const Session& session, const std::string& id);
int list_own_gpu_profiles(const Session& session);

}  // namespace plimsoll::client
