#pragma once

#include "engine/base/result.hpp"
#include "server/postgres/driver/connect.hpp"

#include <string>

namespace plimsoll::postgres {

// A connection string for libpqxx, with the target's role. Errc::invalid_input: the connection
// string cannot be read.
Result<std::string> session_options(const Target& target, const std::string& application_name);

}  // namespace plimsoll::postgres
