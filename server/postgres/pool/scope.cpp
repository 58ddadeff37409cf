#include "server/postgres/pool/scope.hpp"

namespace plimsoll::postgres {
namespace {

constexpr Query kInTeam{"session.in_team", "select set_config('app.team_id', $1::text, true)",
                        "plimsoll.session.in_team"};
constexpr Query kInTeams{"session.in_teams",
                         "select set_config('app.teams', ($1::bigint[])::text, true)",
                         "plimsoll.session.in_teams"};
constexpr Query kAcrossTeams{"session.across_teams", "select set_config('app.system', 'on', true)",
                             "plimsoll.session.across_teams"};

}  // namespace

Statement in_team(TeamId team) { return Statement::of(kInTeam, team.value); }

Statement in_teams(const std::set<std::int64_t>& teams) {
    return Statement::of(kInTeams, std::vector(teams.begin(), teams.end()));
}

Statement across_teams() { return Statement::of(kAcrossTeams); }

}  // namespace plimsoll::postgres
