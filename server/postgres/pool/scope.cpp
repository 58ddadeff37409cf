#include "server/postgres/pool/scope.hpp"

namespace plimsoll::postgres {
namespace {

constexpr Query kInTeam{"session.in_team", "select set_config('app.team_id', $1::text, true)",
                        "plimsoll.session.in_team"};
constexpr Query kInTeams{"session.in_teams",
                         "select set_config('app.teams', ($1::bigint[])::text, true)",
                         "plimsoll.session.in_teams"};
// enqueue reads app.traces.
constexpr Query kInTeamTraced{"session.in_team_traced",
                              "select set_config('app.team_id', $1::text, true), "
                              "set_config('app.traces', ($2::bytea[])::text, true)",
                              "plimsoll.session.in_team_traced"};
constexpr Query kInTeamsTraced{"session.in_teams_traced",
                               "select set_config('app.teams', ($1::bigint[])::text, true), "
                               "set_config('app.traces', ($2::bytea[])::text, true)",
                               "plimsoll.session.in_teams_traced"};
constexpr Query kAcrossTeams{"session.across_teams", "select set_config('app.system', 'on', true)",
                             "plimsoll.session.across_teams"};

}  // namespace

Statement in_team(TeamId team) { return Statement::of(kInTeam, team.value); }

Statement in_team(TeamId team, const Traces& traces) {
    if (traces.empty()) return in_team(team);
    return Statement::of(kInTeamTraced, team.value, traces);
}

Statement in_teams(const std::set<std::int64_t>& teams, const Traces& traces) {
    std::vector ids(teams.begin(), teams.end());
    if (traces.empty()) return Statement::of(kInTeams, ids);
    return Statement::of(kInTeamsTraced, ids, traces);
}

Statement across_teams() { return Statement::of(kAcrossTeams); }

}  // namespace plimsoll::postgres
