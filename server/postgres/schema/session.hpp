#pragma once

#include "engine/base/result.hpp"
#include "server/postgres/driver/connect.hpp"

#include <string>

namespace plimsoll::postgres {

// What libpqxx takes, with the target's role in it. Errc::invalid_input: the connection string
// cannot be read.
Result<std::string> session_options(const Target& target, const std::string& application_name);

}  // namespace plimsoll::postgres
