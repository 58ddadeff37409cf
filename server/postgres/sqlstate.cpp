#include "server/postgres/sqlstate.hpp"

#include <libpq-fe.h>

namespace plimsoll::postgres {

Errc error_code(std::string_view state) {
    if (state == "57014") return Errc::timeout;      // statement_timeout
    if (state == "55P03") return Errc::unavailable;  // lock_timeout
    if (state == "23505") return Errc::conflict;     // unique violation
    if (state == "23503") return Errc::conflict;     // foreign key
    if (state == "42501") return Errc::forbidden;    // privilege or row-level security
    if (state == "PLM01") return Errc::conflict;     // a worker that has to register again
    if (state == "PLM02") return Errc::conflict;     // a team would lose its last owner
    if (state == "25006") return Errc::unavailable;  // a standby was not promoted yet
    const std::string_view group = state.substr(0, 2);
    if (group == "08" || group == "53" || group == "57" || group == "58" || group == "40") {
        return Errc::unavailable;  // connection, resources, shutdown, system, serialisation
    }
    if (group == "22" || group == "23") return Errc::invalid_input;  // data and CHECK rules
    return Errc::internal;
}

Error statement_error(const pg_result* result, std::string_view query) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (!state) {
        return {Errc::unavailable, "The connection to the database was lost.", {}};
    }
    // Of the CHECK violations, a row without a partition is the one that breaks no named rule.
    if (std::string_view(state) == "23514" &&
        !PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME)) {
        return {Errc::unavailable, "Today's partitions are missing: the duties have not run.", {}};
    }
    std::string message = "The database refused " + std::string(query) + ": ";
    message += primary ? primary : "no message";
    message += " (SQLSTATE " + std::string(state) + ")";
    return {error_code(state), std::move(message), {}};
}

}  // namespace plimsoll::postgres
