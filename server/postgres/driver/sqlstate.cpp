#include "server/postgres/driver/sqlstate.hpp"

#include <libpq-fe.h>

namespace plimsoll::postgres {
namespace {

constexpr std::string_view kNotPrepared = "26000";
constexpr std::string_view kPreparedTwice = "42P05";

}  // namespace

bool is_foreign_session(const pg_result* result) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return state && (state == kNotPrepared || state == kPreparedTwice);
}

Errc error_code(std::string_view state) {
    if (state == "57014") return Errc::timeout;         // statement_timeout
    if (state == "55P03") return Errc::unavailable;     // lock_timeout
    if (state == "23505") return Errc::conflict;        // unique violation
    if (state == "23503") return Errc::conflict;        // foreign key
    if (state == "42501") return Errc::forbidden;       // privilege or row-level security
    if (state == "PLM01") return Errc::conflict;        // a worker that has to register again
    if (state == "PLM02") return Errc::conflict;        // a team would lose its last owner
    if (state == kNotAllStored) return Errc::conflict;  // not all jobs of a bundle can be stored
    if (state == "25006") return Errc::unavailable;     // a standby was not promoted yet
    if (state == kNotPrepared || state == kPreparedTwice) return Errc::unavailable;
    const std::string_view group = state.substr(0, 2);
    if (group == "08" || group == "53" || group == "57" || group == "58" || group == "40")
        return Errc::unavailable;  // connection, resources, shutdown, system, serialization
    if (group == "22" || group == "23") return Errc::invalid_input;  // data and CHECK rules
    return Errc::internal;
}

std::string statement_failure(const pg_result* result, std::string_view query) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    std::string text(query);
    text += ": ";
    text += primary ? primary : PQresultErrorMessage(result);
    if (state) text += " (SQLSTATE " + std::string(state) + ")";
    return text;
}

Error statement_error(const pg_result* result, std::string_view query) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (!state) return {Errc::unavailable, "The connection to the database was lost.", {}};
    // The only CHECK violation without a named rule is a row without a partition.
    if (std::string_view(state) == "23514" && !PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME))
        return {Errc::unavailable, "The database has no partitions for today yet.", {}};
    if (std::string_view(state) == kNotAllStored) {
        const char* conflicts = PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
        return {Errc::conflict, "Not all jobs can be stored.", conflicts ? conflicts : ""};
    }
    if (std::string_view(state) == "PLM02")
        return {Errc::conflict, "A team needs an owner: make another member an owner first.", {}};
    if (std::string_view(state) == "53100") return {Errc::unavailable, kDiskFull, {}};
    switch (const Errc code = error_code(state)) {
        case Errc::invalid_input: return {code, "A value cannot be stored.", {}};
        case Errc::conflict: return {code, "The change conflicts with stored data.", {}};
        case Errc::forbidden: return {code, "The database does not allow this.", {}};
        case Errc::internal: return {code, statement_failure(result, query), {}};
        default: return {code, "The database cannot do this now.", {}};
    }
}

}  // namespace plimsoll::postgres
