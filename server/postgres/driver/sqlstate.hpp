#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>

struct pg_result;

namespace plimsoll::postgres {

// SQLSTATE of a bundle that could not be stored as a whole: the error's `where` lists the failing
// jobs as JSON, each with `ord` from 1, `outcome` and `job_id`.
inline constexpr std::string_view kNotAllStored = "PLM03";

// The message for SQLSTATE 53100, also if a connection cannot be opened because of it.
inline constexpr const char* kDiskFull = "The disk of the database is full.";

// The kind of failure behind a five-character SQLSTATE (PostgreSQL's documentation, appendix A).
Errc error_code(std::string_view sqlstate);

// Whether a statement failed because a transaction-pooling proxy ran it in a session where it was
// not prepared, or was prepared by another connection.
bool is_foreign_session(const pg_result* result);

// PostgreSQL's message for a failed statement, with its SQLSTATE. For logs only: it may name tables
// and quote values.
std::string statement_failure(const pg_result* result, std::string_view query);

// The error of a failed statement. The message is PostgreSQL's only for Errc::internal, which is
// never shown to clients.
Error statement_error(const pg_result* result, std::string_view query);

}  // namespace plimsoll::postgres
