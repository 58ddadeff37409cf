#pragma once

#include "engine/base/result.hpp"
#include "migrations/embedded.hpp"
#include "server/postgres/driver/connect.hpp"

namespace plimsoll::postgres {

struct MigrationReport {
    int before = 0;     // schema version found; 0: none
    int after = 0;      // schema version now
    int functions = 0;  // functions that were created or replaced
    // The database's functions are from a newer program and were not changed.
    bool newer_functions = false;
};

// Brings the schema up to date in one transaction: missing versions, functions whose hash differs,
// rights. An advisory lock lets several servers start at once. Blocks: do not call on the I/O
// thread. The role must be a superuser, or have CREATEROLE and CREATE on the database.
// Errc::conflict if the schema has versions that this program does not know, or if a recorded
// version differs from ours: each needs the operator.
// Errc::unavailable: the database cannot be reached, or refuses a statement; nothing has changed
// then.
Result<MigrationReport> migrate(const Target& target,
                                const migrations::Schema& schema = migrations::kSchema);

}  // namespace plimsoll::postgres
