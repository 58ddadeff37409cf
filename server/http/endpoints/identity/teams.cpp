// Teams and their members.
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/identity/roles.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using identity::Member;
using identity::Role;
using nlohmann::json;

namespace {

bool administers_all(const identity::Principal& principal) {
    return has_scope(principal, "sys:admin");
}

// The team in the path. A team other than the caller's looks like a missing one.
Outcome<TeamId> visible_team(const Call& call) {
    auto team = team_id_of(call.parameters.text("team_id").value_or(""));
    if (!team) return team;
    if (*team != call.principal.team.id && !administers_all(call.principal)) {
        return refuse(404, "The team was not found.");
    }
    return team;
}

const Member* find_member(const std::vector<Member>& members, UserId user) {
    const auto found = std::ranges::find_if(
        members, [user](const Member& member) { return member.user.id == user; });
    return found == members.end() ? nullptr : &*found;
}

Outcome<void> may_change(const Call& call, const Member* present, Role wanted) {
    const auto& principal = call.principal;
    const auto highest = present == nullptr ? wanted : std::max(wanted, present->role);
    if (identity::may_appoint(principal.role, administers_all(principal), highest)) return {};
    return refuse(
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

    awaitable<Outcome<Response>> list(const Call& call) const {
        const auto& principal = call.principal;
        auto items = json::array();
        if (principal.token && !administers_all(principal)) {
            items.push_back(team_json(principal.team));  // a token knows only its own team
        } else {
            const auto teams = co_await store_.teams(principal.user.id);
            if (!teams) co_return tl::unexpected<Problem>(teams.error());
            for (const auto& team : *teams) items.push_back(team_json(team));
        }
        co_return list_by_id(call, std::move(items));
    }

    awaitable<Outcome<Response>> get(const Call& call) const {
        const auto team = co_await named(call);
        if (!team) co_return tl::unexpected(team.error());
        co_return team_response(*team);
    }

    awaitable<Outcome<Response>> update(const Call& call) const {
        const auto id = visible_team(call);
        if (!id) co_return tl::unexpected(id.error());
        identity::TeamChange change;
        if (call.body.contains("name")) change.name = call.body["name"];
        if (call.body.contains("archived")) change.archived = call.body["archived"];
        if (change.archived && !administers_all(call.principal)) {
            co_return refuse(403, "Archiving a team needs the scope sys:admin.");
        }
        if (change.archived == true && *id == call.principal.team.id) {
            co_return refuse(409,
                             "You cannot archive your current team: switch to another team first.");
        }
        const auto author = co_await editor_of(call, named(call), editable_team);
        if (!author) co_return tl::unexpected(author.error());
        const auto team = co_await store_.update_team(*author, *id, std::move(change));
        if (!team) co_return tl::unexpected<Problem>(team.error());
        co_return team_response(*team);
    }

    awaitable<Outcome<Response>> create(const Call& call) const {
        const auto team =
            co_await store_.create_team(author_of(call), call.body.at("name").get<std::string>());
        if (!team) co_return tl::unexpected<Problem>(team.error());
        auto response = json_response(201, team_json(*team));
        response.with("Location", "/v1/teams/" + to_public(team->id));
        co_return response;
    }

    awaitable<Outcome<Response>> members(const Call& call) const {
        const auto team = visible_team(call);
        if (!team) co_return tl::unexpected(team.error());
        const auto members = co_await store_.members(*team);
        if (!members) co_return tl::unexpected<Problem>(members.error());
        if (members->empty()) {  // a new team, or none
            if (const auto known = co_await named(call); !known) {
                co_return tl::unexpected(known.error());
            }
        }
        auto items = json::array();
        for (const auto& member : *members) items.push_back(member_json(member));
        co_return list_response(call, std::move(items), [](const json& item) {
            return item.at("user").at("id").get<std::string>();
        });
    }

    awaitable<Outcome<Response>> member(const Call& call) const {
        const auto team = visible_team(call);
        if (!team) co_return tl::unexpected(team.error());
        const auto user = user_id_of(call.parameters.text("user_id").value_or(""));
        if (!user) co_return refuse(404, "The member was not found.");
        const auto members = co_await store_.members(*team);
        if (!members) co_return tl::unexpected<Problem>(members.error());
        const auto* found = find_member(*members, *user);
        if (found == nullptr) co_return refuse(404, "The member was not found.");
        co_return member_response(*found);
    }

    awaitable<Outcome<Response>> set_member(const Call& call) const {
        const auto team = visible_team(call);
        if (!team) co_return tl::unexpected(team.error());
        const auto user = user_id_of(call.parameters.text("user_id").value_or(""));
        if (!user) co_return tl::unexpected(user.error());
        const auto role = *identity::parse_role(call.body.at("role").get_ref<const std::string&>());
        const auto before = co_await store_.members(*team);
        if (!before) co_return tl::unexpected<Problem>(before.error());
        // Somebody who tries IDs must not learn whose they are.
        const auto* present = find_member(*before, *user);
        if (present == nullptr && !administers_all(call.principal)) {
            co_return refuse(404, "The member was not found. System admins add users to teams.");
        }
        if (auto may = may_change(call, present, role); !may) {
            co_return tl::unexpected(may.error());
        }
        const auto author =
            editor_of(call, present == nullptr ? json() : editable_member(*present));
        if (!author) co_return tl::unexpected(author.error());
        const auto set = co_await store_.set_member(*author, *team, *user, role);
        if (!set) co_return tl::unexpected<Problem>(set.error());
        const auto after = co_await store_.members(*team);
        if (!after) co_return tl::unexpected<Problem>(after.error());
        const auto* member = find_member(*after, *user);
        if (member == nullptr) co_return refuse(404, "The member was not found.");
        co_return member_response(*member);
    }

    awaitable<Outcome<Response>> remove_member(const Call& call) const {
        const auto team = visible_team(call);
        if (!team) co_return tl::unexpected(team.error());
        const auto user = user_id_of(call.parameters.text("user_id").value_or(""));
        if (!user) co_return tl::unexpected(user.error());
        const auto members = co_await store_.members(*team);
        if (!members) co_return tl::unexpected<Problem>(members.error());
        const auto* member = find_member(*members, *user);
        if (member == nullptr) co_return refuse(404, "The member was not found.");
        if (auto may = may_change(call, member, member->role); !may) {
            co_return tl::unexpected(may.error());
        }
        const auto removed = co_await store_.remove_member(author_of(call), *team, *user);
        if (!removed) co_return tl::unexpected<Problem>(removed.error());
        co_return empty_response(204);
    }

  private:
    // The team in the path. Not from the caller's principal, which may be some milliseconds old.
    awaitable<Outcome<identity::Team>> named(const Call& call) const {
        const auto id = visible_team(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto teams = co_await store_.teams(call.principal.user.id);
        if (!teams) co_return tl::unexpected<Problem>(teams.error());
        const auto found = std::ranges::find(*teams, *id, &identity::Team::id);
        if (found != teams->end()) co_return *found;
        if (*id == call.principal.team.id) co_return call.principal.team;
        co_return refuse(404, "The team was not found.");
    }

    identity::IdentityStore& store_;
};

}  // namespace

void add_teams(Handlers& handlers, identity::IdentityStore& store) {
    const auto teams = std::make_shared<const Teams>(store);
    handlers["listTeams"] = [teams](const Call& call) { return teams->list(call); };
    handlers["getTeam"] = [teams](const Call& call) { return teams->get(call); };
    handlers["updateTeam"] = [teams](const Call& call) { return teams->update(call); };
    handlers["getTeamMember"] = [teams](const Call& call) { return teams->member(call); };
    handlers["createTeam"] = [teams](const Call& call) { return teams->create(call); };
    handlers["listTeamMembers"] = [teams](const Call& call) { return teams->members(call); };
    handlers["setTeamMember"] = [teams](const Call& call) { return teams->set_member(call); };
    handlers["removeTeamMember"] = [teams](const Call& call) { return teams->remove_member(call); };
}

}  // namespace plimsoll::http::endpoints
