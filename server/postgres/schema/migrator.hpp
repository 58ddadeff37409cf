#pragma once

#include "engine/base/result.hpp"
#include "migrations/embedded.hpp"
#include "server/postgres/driver/connect.hpp"

#include <initializer_list>

namespace plimsoll::postgres {

struct MigrationReport {
    int before = 0;  // schema version found; 0: none
    int after = 0;
};

// Brings the schema up to date: every migration in a transaction of its own, recorded with the
// SHA-256 of its text, under an advisory lock, so that several servers may start at once. Blocks.
// The role must be a superuser or have CREATEROLE and CREATE on the database.
// Errc::conflict when the schema is newer than this program or a recorded migration differs from
// ours; both need a person.
Result<MigrationReport> migrate(
    const Target& target, std::initializer_list<migrations::Migration> known = migrations::all);

}  // namespace plimsoll::postgres
