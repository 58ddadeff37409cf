#pragma once

#include "server/base/id.hpp"
#include "server/postgres/driver/connection.hpp"
#include "server/postgres/pool/pool.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

// The first statement of every store's batch: row-level security hides all rows until the
// transaction names a team or explicitly works across teams.
namespace plimsoll::postgres {

// Restricts the transaction to the rows of one team.
Statement in_team(TeamId team);

// What tracing::pack made of each job that the transaction submits; empty: none is traced.
using Traces = std::vector<std::optional<Bytes>>;

// The same for a transaction that submits jobs.
Statement in_team(TeamId team, const Traces& traces);

// Lets the transaction submit jobs of these teams. It still sees no rows. It commits before it is
// on disk: see on_disk.
Statement in_teams(const std::set<std::int64_t>& teams, const Traces& traces);

// Opens users, teams and tokens of the whole installation; never jobs.
Statement across_teams();

// Ends a batch whose transactions commit before they are on disk: the response comes when they are.
// So no lock is held while the disk writes (the queue's class, PostgreSQL's own for notifications),
// whoever is notified begins meanwhile, and commits of several connections share a write. Behind a
// pooler, which may run the next transaction in another session, after a crash even, they commit to
// disk as usual.
Statement on_disk();

// How long a caller waits for one database response.
inline constexpr std::chrono::milliseconds kCallTimeout{5000};

// Runs statements in a scope, as one transaction. The first reply is the scope's.
template <class... Statements>
awaitable<Result<Replies>> run_in(Pool& pool, std::chrono::milliseconds timeout, Statement scope,
                                  Statements... statements) {
    Batch batch;
    batch.push_back(std::move(scope));
    (batch.push_back(std::move(statements)), ...);
    co_return co_await pool.run(std::move(batch), timeout);
}

// Runs one, and returns its rows.
inline awaitable<Result<Rows>> run_in(Pool& pool, Statement scope, Statement statement) {
    co_return last(co_await run_in(pool, kCallTimeout, std::move(scope), std::move(statement)));
}

}  // namespace plimsoll::postgres
