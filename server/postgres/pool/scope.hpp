#pragma once

#include "server/base/id.hpp"
#include "server/postgres/driver/statement.hpp"

#include <chrono>

// What every store's batch begins with: row-level security shows the application nothing until the
// transaction has named a team, or said aloud that it works across teams.
namespace plimsoll::postgres {

// Rows of one team.
Statement in_team(TeamId team);

// People, teams and their secrets of the whole installation; never jobs.
Statement across_teams();

// How long a caller waits for one answer of the database.
inline constexpr std::chrono::milliseconds kCallTimeout{5000};

}  // namespace plimsoll::postgres
