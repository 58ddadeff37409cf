#pragma once

#include "engine/base/result.hpp"

#include <string>

namespace plimsoll::client {

// Ends a token. One that the server no longer takes is as good as revoked.
Result<void> revoke(const std::string& server, const std::string& token);

}  // namespace plimsoll::client
