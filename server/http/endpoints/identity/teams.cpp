// Teams and their members.
#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/identity/identity.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using identity::Member;
using identity::Role;

namespace {

bool administers_all(const identity::Principal& principal) {
    return has_scope(principal, "sys:admin");
}

// The team in the path. A team other than the caller's looks like a missing one.
TeamId visible_team(const Call& call) {
    const auto team = team_id_of(call.parameters.text("team_id"));
    if (team != call.principal.team.id && !administers_all(call.principal))
        throw Refused(404, "The team was not found.");
    return team;
}

const Member* find_member(const std::vector<Member>& members, UserId user) {
    const auto found = std::ranges::find_if(
        members, [user](const Member& member) { return member.user.id == user; });
    return found == members.end() ? nullptr : &*found;
}

void may_change(const Call& call, const Member* present, Role wanted) {
    const auto& principal = call.principal;
    const auto highest = present == nullptr ? wanted : std::max(wanted, present->role);
    if (identity::may_appoint(principal.role, administers_all(principal), highest)) return;
    throw Refused(
        403, "Only an owner of the team, or a system admin, may add, change or remove an owner.");
}

Response team_response(const identity::Team& team) {
    return with_version(json_response(200, team_json(team)), editable_team(team));
}

Response member_response(const Member& member) {
    return with_version(json_response(200, member_json(member)), editable_member(member));
}

class Teams {
  public:
    explicit Teams(identity::IdentityStore& store) : store_(store) {}

    awaitable<Response> list(const Call& call) const {
        const auto& principal = call.principal;
        auto items = json::array();
        if (principal.token && !administers_all(principal)) {
            items.push_back(team_json(principal.team));  // a token knows only its own team
        } else {
            const auto teams = need(co_await store_.teams(principal.user.id));
            for (const auto& team : teams) items.push_back(team_json(team));
        }
        co_return list_by_id(call, std::move(items));
    }

    awaitable<Response> update(const Call& call) const {
        const auto id = visible_team(call);
        identity::TeamChange change;
        if (call.body.contains("name")) change.name = call.body["name"];
        if (call.body.contains("archived")) change.archived = call.body["archived"];
        if (change.archived && !administers_all(call.principal))
            throw Refused(403, "Archiving a team needs the scope sys:admin.");
        if (change.archived == true && id == call.principal.team.id) {
            throw Refused(409,
                          "You cannot archive your current team: switch to another team first.");
        }
        const auto author = co_await editor_of(call, named(call), editable_team);
        const auto team = need(co_await store_.update_team(author, id, std::move(change)));
        co_return team_response(team);
    }

    awaitable<Response> create(const Call& call) const {
        const auto team = need(
            co_await store_.create_team(author_of(call), call.body.at("name").get<std::string>()));
        co_return located(json_response(201, team_json(team)), "/v1/teams/" + to_public(team.id));
    }

    awaitable<Response> members(const Call& call) const {
        const auto team = visible_team(call);
        const auto members = need(co_await store_.members(team));
        if (members.empty()) co_await named(call);  // a new team, or none
        co_return list_response(call, array_of(members, member_json), [](const json& item) {
            return item.at("user").at("id").get<std::string>();
        });
    }

    awaitable<Response> set_member(const Call& call) const {
        const auto team = visible_team(call);
        const auto user = user_id_of(call.parameters.text("user_id"));
        const auto role = *identity::parse_role(call.body.at("role").get_ref<const std::string&>());
        const auto before = need(co_await store_.members(team));
        // Somebody who tries IDs must not learn whose they are.
        const auto* present = find_member(before, user);
        if (present == nullptr && !administers_all(call.principal))
            throw Refused(404, "The member was not found. System admins add users to teams.");
        may_change(call, present, role);
        const auto author =
            editor_of(call, present == nullptr ? json() : editable_member(*present));
        need(co_await store_.set_member(author, team, user, role));
        const auto after = need(co_await store_.members(team));
        const auto* member = find_member(after, user);
        if (member == nullptr) throw Refused(404, "The member was not found.");
        co_return member_response(*member);
    }

    awaitable<Response> remove_member(const Call& call) const {
        const auto team = visible_team(call);
        const auto user = user_id_of(call.parameters.text("user_id"));
        const auto members = need(co_await store_.members(team));
        const auto* member = find_member(members, user);
        if (member == nullptr) throw Refused(404, "The member was not found.");
        may_change(call, member, member->role);
        need(co_await store_.remove_member(author_of(call), team, user));
        co_return empty_response(204);
    }

  private:
    // The team in the path. Not from the caller's principal, which may be some milliseconds old.
    awaitable<identity::Team> named(const Call& call) const {
        const auto id = visible_team(call);
        const auto teams = need(co_await store_.teams(call.principal.user.id));
        const auto found = std::ranges::find(teams, id, &identity::Team::id);
        if (found != teams.end()) co_return *found;
        if (id == call.principal.team.id) co_return call.principal.team;
        throw Refused(404, "The team was not found.");
    }

    identity::IdentityStore& store_;
};

}  // namespace

void add_teams(Handlers& handlers, identity::IdentityStore& store) {
    const Members on(handlers, std::make_shared<const Teams>(store));
    on("listTeams", &Teams::list);
    on("updateTeam", &Teams::update);
    on("createTeam", &Teams::create);
    on("listTeamMembers", &Teams::members);
    on("setTeamMember", &Teams::set_member);
    on("removeTeamMember", &Teams::remove_member);
}

}  // namespace plimsoll::http::endpoints
