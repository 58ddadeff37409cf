#pragma once

#include "engine/base/result.hpp"

#include <string_view>

struct pg_result;

namespace plimsoll::postgres {

// The kind of failure behind a five-character SQLSTATE (PostgreSQL's documentation, appendix A).
Errc error_code(std::string_view sqlstate);

// The error of a failed statement. The message names the statement and holds PostgreSQL's primary
// message and SQLSTATE; for Errc::internal it is meant for logs, not for clients.
Error statement_error(const pg_result* result, std::string_view query);

}  // namespace plimsoll::postgres
