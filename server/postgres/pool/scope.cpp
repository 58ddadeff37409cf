#include "server/postgres/pool/scope.hpp"

namespace plimsoll::postgres {
namespace {

constexpr Query kInTeam{"session.in_team", "select set_config('app.team_id', $1::text, true)",
                        "plimsoll.session.in_team"};
constexpr Query kInTeams{"session.in_teams",
                         "select set_config('app.teams', ($1::bigint[])::text, true), "
                         "case when pg_backend_pid() = $2::int then "
                         "set_config('synchronous_commit', 'off', true) end",
                         "plimsoll.session.in_teams"};
// enqueue reads app.traces.
constexpr Query kInTeamTraced{"session.in_team_traced",
                              "select set_config('app.team_id', $1::text, true), "
                              "set_config('app.traces', ($2::bytea[])::text, true)",
                              "plimsoll.session.in_team_traced"};
constexpr Query kInTeamsTraced{"session.in_teams_traced",
                               "select set_config('app.teams', ($1::bigint[])::text, true), "
                               "set_config('app.traces', ($2::bytea[])::text, true), "
                               "case when pg_backend_pid() = $3::int then "
                               "set_config('synchronous_commit', 'off', true) end",
                               "plimsoll.session.in_teams_traced"};
// A record of the log, whose commit waits for the disk as the session's settings ask; that of a
// transaction that writes nothing would not.
constexpr Query kOnDisk{"session.on_disk",
                        "select pg_logical_emit_message(true, 'plimsoll', '') "
                        "where pg_backend_pid() = $1::int",
                        "plimsoll.session.on_disk"};
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
    auto scope =
        traces.empty() ? Statement::of(kInTeams, ids) : Statement::of(kInTeamsTraced, ids, traces);
    scope.names_process = true;
    return scope;
}

Statement on_disk() {
    auto statement = Statement::of(kOnDisk);
    statement.begins_transaction = statement.names_process = true;
    return statement;
}

Statement across_teams() { return Statement::of(kAcrossTeams); }

}  // namespace plimsoll::postgres
