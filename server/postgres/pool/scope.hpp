#pragma once

#include "server/base/id.hpp"
#include "server/postgres/driver/statement.hpp"

#include <chrono>
#include <cstdint>
#include <set>

// The first statement of every store's batch: row-level security hides all rows until the
// transaction names a team or explicitly works across teams.
namespace plimsoll::postgres {

// Restricts the transaction to the rows of one team.
Statement in_team(TeamId team);

// Lets the transaction submit jobs of these teams. It still sees no rows.
Statement in_teams(const std::set<std::int64_t>& teams);

// Opens users, teams and tokens of the whole installation; never jobs.
Statement across_teams();

// How long a caller waits for one database response.
inline constexpr std::chrono::milliseconds kCallTimeout{5000};

}  // namespace plimsoll::postgres
