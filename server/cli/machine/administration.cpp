#include "server/cli/machine/administration.hpp"

#include "engine/base/closest.hpp"
#include "server/base/time.hpp"
#include "server/identity/identity.hpp"
#include "server/identity/secret.hpp"
#include "server/terminal/command_context.hpp"

#include <algorithm>

namespace plimsoll::cli {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

using terminal::need;
using terminal::Refused;

constexpr auto kLinkLifetime = std::chrono::minutes(30);

json admin_json(const identity::User& user) {
    return {{"id", to_public(user.id)},
            {"name", user.name},
            {"email", user.email},
            {"is_admin", user.administrator},
            {"disabled", user.disabled}};
}

json admin_json(const identity::Team& team) {
    return {{"id", to_public(team.id)}, {"name", team.name}, {"archived", team.archived}};
}

json admin_json(const identity::ProvidedIdentity& one) {
    return {{"id", to_public(one.id)},
            {"issuer", one.issuer},
            {"subject", one.subject},
            {"created_at", to_rfc3339(one.created_at)},
            {"last_used_at", to_rfc3339(one.last_used_at)}};
}

std::string admin_line(const identity::User& user) {
    return to_public(user.id) + "  " + user.name + (user.administrator ? "  system admin" : "") +
           (user.disabled ? "  disabled" : "");
}

std::string admin_line(const identity::Team& team) {
    return to_public(team.id) + "  " + team.name + (team.archived ? "  archived" : "");
}

std::string admin_line(const identity::ProvidedIdentity& one) {
    return to_public(one.id) + "  " + one.issuer + "  " + one.subject + "  last used " +
           to_rfc3339(one.last_used_at);
}

template <class Thing>
Answer listed(const char* name, const std::vector<Thing>& things) {
    Answer answer{{{name, json::array()}}, {}};
    for (const auto& thing : things) {
        answer.value[name].push_back(admin_json(thing));
        answer.text += (answer.text.empty() ? "" : "\n") + admin_line(thing);
    }
    return answer;
}

// The item with this name or ID.
template <class Thing>
Thing find_named(const std::vector<Thing>& things, const std::string& what,
                 const std::string& text) {
    std::vector<std::string> names;
    for (const auto& thing : things) {
        if (thing.name == text || to_public(thing.id) == text) return thing;
        names.push_back(thing.name);
    }
    throw Refused(Errc::not_found,
                  "There is no " + what + " \"" + text + "\"." + did_you_mean(text, names),
                  "--" + what);
}

}  // namespace

awaitable<Answer> Administration::run(Act act, const AdminRequest& request) {
    auto users = need(co_await store_.users());
    for (auto& account : users) users_.push_back(std::move(account.user));
    const auto administrator = std::find_if(
        users_.begin(), users_.end(), [](const auto& u) { return u.administrator && !u.disabled; });
    if (administrator == users_.end()) {
        throw Refused(Errc::not_found,
                      "There is no system admin yet: start `plimsoll serve` once.");
    }
    teams_ = need(co_await store_.teams(administrator->id));
    author_ = {teams_.empty() ? TeamId{} : teams_.front().id, administrator->id, "command line"};
    co_return co_await (this->*act)(request);
}

awaitable<Answer> Administration::list_users(const AdminRequest& /*request*/) {
    co_return listed("users", users_);
}

awaitable<Answer> Administration::list_teams(const AdminRequest& /*request*/) {
    co_return listed("teams", teams_);
}

UserId Administration::user(const std::string& name) const {
    return find_named(users_, "user", name).id;
}

TeamId Administration::team(const std::string& name) const {
    return find_named(teams_, "team", name).id;
}

awaitable<Answer> Administration::add_user(const AdminRequest& request) {
    auto user = need(
        co_await store_.create_user(author_, request.user, request.email, request.administrator));
    co_return Answer{admin_json(user), to_public(user.id)};
}

awaitable<Answer> Administration::set_user(const AdminRequest& request) {
    const auto who = user(request.user);
    auto done = need(co_await store_.update_user(author_, who, request.change));
    co_return Answer{admin_json(done), admin_line(done)};
}

awaitable<Answer> Administration::remove_user(const AdminRequest& request) {
    const auto who = user(request.user);
    need(co_await store_.remove_user(author_, who));
    co_return Answer{{{"id", to_public(who)}}, request.user + " was removed"};
}

awaitable<Answer> Administration::remove_second_factor(const AdminRequest& request) {
    const auto who = user(request.user);
    need(co_await passwords_.remove_second_factor(author_, who));
    co_return Answer{{{"id", to_public(who)}},
                     "The password of " + request.user + " works without a code"};
}

awaitable<Answer> Administration::list_identities(const AdminRequest& request) {
    const auto who = user(request.user);
    const auto found = need(co_await providers_.identities(who));
    co_return listed("identities", found);
}

awaitable<Answer> Administration::unlink(const AdminRequest& request) {
    const auto who = user(request.user);
    const auto id = parse_public_id("idn", request.identity);
    if (!id) {
        throw Refused(Errc::not_found,
                      "There is no identity \"" + request.identity +
                          "\": `plimsoll admin identities` lists the user's identities.");
    }
    need(co_await providers_.unlink(author_, who, identity::IdentityId{*id}));
    co_return Answer{{{"id", request.identity}},
                     request.user + " can no longer sign in with " + request.identity};
}

awaitable<Answer> Administration::set_team(const AdminRequest& request) {
    const auto which = team(request.team);
    const auto done = need(co_await store_.update_team(author_, which, request.team_change));
    co_return Answer{admin_json(done), admin_line(done)};
}

awaitable<Answer> Administration::add_team(const AdminRequest& request) {
    auto team = need(co_await store_.create_team(author_, request.team));
    co_return Answer{admin_json(team), to_public(team.id)};
}

awaitable<Answer> Administration::set_member(const AdminRequest& request) {
    const auto who = user(request.user);
    const auto where = team(request.team);
    const auto role = identity::parse_role(request.role);
    if (!role)
        throw Refused(Errc::invalid_input, "The role must be viewer, member, admin or owner.",
                      "--role");
    need(co_await store_.set_member(author_, where, who, *role));
    co_return Answer{
        {{"user_id", to_public(who)}, {"team_id", to_public(where)}, {"role", request.role}},
        request.user + " is " + request.role + " of " + request.team};
}

awaitable<Answer> Administration::add_token(const AdminRequest& request) {
    const auto whose = co_await chosen(request);
    const auto secret = identity::make_secret(identity::SecretKind::token);
    identity::Token token;
    token.user = whose.user;
    token.name = request.token_name;
    token.hint = secret.text.substr(0, 12);
    token.scopes = {request.scopes.begin(), request.scopes.end()};
    need(co_await store_.create_token(whose, std::move(token), secret.hash, {}));
    co_return Answer{{{"secret", secret.text}}, secret.text};
}

awaitable<Answer> Administration::sign_in_link(const AdminRequest& request) {
    const auto whose = co_await chosen(request);
    // The link's validity follows the database's clock; this machine's may be a day off.
    need(co_await clock_.read());
    const auto secret = identity::make_secret(identity::SecretKind::sign_in);
    need(co_await store_.create_sign_in_link(author_, whose.user, whose.team, secret.hash,
                                             clock_.now() + kLinkLifetime));
    const auto link = request.base_url + "/#/sign-in/" + secret.text;
    co_return Answer{{{"link", link}}, link};
}

awaitable<Answer> Administration::password_link(const AdminRequest& request) {
    const auto who = user(request.user);
    need(co_await clock_.read());
    const auto secret = identity::make_secret(identity::SecretKind::password_link);
    need(co_await passwords_.create_link(author_, who, secret.hash, clock_.now() + kLinkLifetime));
    const auto link = request.base_url + "/#/set-password/" + secret.text;
    co_return Answer{{{"link", link}}, link};
}

awaitable<Author> Administration::chosen(const AdminRequest& request) {
    const auto who = request.user.empty() ? author_.user : user(request.user);
    const auto where = request.team.empty() ? co_await first_team(who) : team(request.team);
    co_return Author{where, who, author_.request_id};
}

awaitable<TeamId> Administration::first_team(UserId who) {
    for (const auto& team : teams_) {
        const auto members = need(co_await store_.members(team.id));
        for (const auto& member : members) {
            if (member.user.id == who) co_return team.id;
        }
    }
    throw Refused(Errc::conflict, "The user is in no team: run `plimsoll admin set-member` first.");
}

}  // namespace plimsoll::cli
