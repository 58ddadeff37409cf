#pragma once

#include "engine/base/result.hpp"
#include "server/postgres/driver/connect.hpp"

#include <string>
#include <vector>

namespace plimsoll::postgres {

// A connection string for libpqxx, with the target's role. Errc::invalid_input: the connection
// string cannot be read.
Result<std::string> session_options(const Target& target, const std::string& application_name);

struct Unsuitable {
    std::string what;
    bool fatal = false;  // Plimsoll cannot work so
};

// What of a database's version and settings does not suit Plimsoll, and whether a pooler between
// gives each transaction another connection. Blocks. Errc::unavailable: it does not respond.
Result<std::vector<Unsuitable>> examine(const Target& target);

}  // namespace plimsoll::postgres
