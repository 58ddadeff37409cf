#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>

struct pg_result;

namespace plimsoll::postgres {

// Of a bundle that is to be stored whole: its error's `where` lists the jobs at fault as JSON, each
// with `ord` from 1, `outcome` and `job_id`.
inline constexpr std::string_view kNotAllStored = "PLM03";

// The kind of failure behind a five-character SQLSTATE (PostgreSQL's documentation, appendix A).
Errc error_code(std::string_view sqlstate);

// Whether a statement failed because it was prepared in another session than it was run in, or
// another connection had prepared it: a proxy hands out sessions by the transaction.
bool is_foreign_session(const pg_result* result);

// What PostgreSQL said about a failed statement, with its SQLSTATE: for logs, since it may name
// tables and quote values.
std::string statement_failure(const pg_result* result, std::string_view query);

// The error of a failed statement. Only of Errc::internal, which no client is shown, the message is
// PostgreSQL's.
Error statement_error(const pg_result* result, std::string_view query);

}  // namespace plimsoll::postgres
