#pragma once

#include "engine/base/result.hpp"

#include <string>

namespace plimsoll::client {

// Revokes a token. One that the server no longer accepts counts as revoked.
Result<void> revoke(const std::string& server, const std::string& token);

}  // namespace plimsoll::client
