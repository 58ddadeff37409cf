#include "server/cli/machine/administration.hpp"

#include "server/identity/identity.hpp"
#include "server/identity/secret.hpp"

#include <algorithm>

namespace plimsoll::cli {

using boost::asio::awaitable;
using What = AdminRequest::What;

namespace {

constexpr auto kLinkLifetime = std::chrono::minutes(30);

}  // namespace

awaitable<Result<Answer>> Administration::run(const AdminRequest& request) {
    auto users = co_await store_.users();
    if (!users) co_return fail(users.error());
    for (auto& account : *users) users_.push_back(std::move(account.user));
    const auto administrator = std::find_if(
        users_.begin(), users_.end(), [](const auto& u) { return u.administrator && !u.disabled; });
    if (administrator == users_.end()) {
        co_return fail(Errc::not_found,
                       "There is no system admin yet: start `plimsoll serve` once.");
    }
    auto teams = co_await store_.teams(administrator->id);
    if (!teams) co_return fail(teams.error());
    teams_ = std::move(*teams);
    author_ = {teams_.empty() ? TeamId{} : teams_.front().id, administrator->id, "command line"};
    switch (request.what) {
        case What::list_users:
            co_return listed("users", users_);
        case What::remove_user:
            co_return co_await remove_user(request);
        case What::remove_second_factor:
            co_return co_await remove_second_factor(request);
        case What::list_identities:
            co_return co_await list_identities(request);
        case What::unlink:
            co_return co_await unlink(request);
        case What::set_team:
            co_return co_await set_team(request);
        case What::list_teams:
            co_return listed("teams", teams_);
        case What::add_user:
            co_return co_await add_user(request);
        case What::set_user:
            co_return co_await set_user(request);
        case What::add_team:
            co_return co_await add_team(request);
        case What::set_member:
            co_return co_await set_member(request);
        case What::add_token:
            co_return co_await add_token(request);
        case What::sign_in_link:
            co_return co_await sign_in_link(request);
        case What::password_link:
            co_return co_await password_link(request);
    }
    co_return fail(Errc::internal, "This operation does not exist.");
}

Result<UserId> Administration::user(const std::string& text) const {
    const auto found = find_named(users_, "user", text);
    if (!found) return fail(found.error());
    return found->id;
}

Result<TeamId> Administration::team(const std::string& text) const {
    const auto found = find_named(teams_, "team", text);
    if (!found) return fail(found.error());
    return found->id;
}

awaitable<Result<Answer>> Administration::add_user(const AdminRequest& request) {
    auto user =
        co_await store_.create_user(author_, request.user, request.email, request.administrator);
    if (!user) co_return fail(user.error());
    co_return Answer{admin_json(*user), to_public(user->id)};
}

awaitable<Result<Answer>> Administration::set_user(const AdminRequest& request) {
    const auto who = user(request.user);
    if (!who) co_return fail(who.error());
    auto done = co_await store_.update_user(author_, *who, request.change);
    if (!done) co_return fail(done.error());
    co_return Answer{admin_json(*done), admin_line(*done)};
}

awaitable<Result<Answer>> Administration::remove_user(const AdminRequest& request) {
    const auto who = user(request.user);
    if (!who) co_return fail(who.error());
    const auto done = co_await store_.remove_user(author_, *who);
    if (!done) co_return fail(done.error());
    co_return Answer{{{"id", to_public(*who)}}, request.user + " was removed"};
}

awaitable<Result<Answer>> Administration::remove_second_factor(const AdminRequest& request) {
    const auto who = user(request.user);
    if (!who) co_return fail(who.error());
    const auto done = co_await passwords_.remove_second_factor(author_, *who);
    if (!done) co_return fail(done.error());
    co_return Answer{{{"id", to_public(*who)}},
                     "The password of " + request.user + " works without a code"};
}

awaitable<Result<Answer>> Administration::list_identities(const AdminRequest& request) {
    const auto who = user(request.user);
    if (!who) co_return fail(who.error());
    const auto found = co_await providers_.identities(*who);
    if (!found) co_return fail(found.error());
    co_return listed("identities", *found);
}

awaitable<Result<Answer>> Administration::unlink(const AdminRequest& request) {
    const auto who = user(request.user);
    if (!who) co_return fail(who.error());
    const auto id = parse_public_id("idn", request.identity);
    if (!id) {
        co_return fail(Errc::not_found,
                       "There is no identity \"" + request.identity +
                           "\": `plimsoll admin identities` lists the user's identities.");
    }
    const auto done = co_await providers_.unlink(author_, *who, identity::IdentityId{*id});
    if (!done) co_return fail(done.error());
    co_return Answer{{{"id", request.identity}},
                     request.user + " can no longer sign in with " + request.identity};
}

awaitable<Result<Answer>> Administration::set_team(const AdminRequest& request) {
    const auto which = team(request.team);
    if (!which) co_return fail(which.error());
    const auto done = co_await store_.update_team(author_, *which, request.team_change);
    if (!done) co_return fail(done.error());
    co_return Answer{admin_json(*done), admin_line(*done)};
}

awaitable<Result<Answer>> Administration::add_team(const AdminRequest& request) {
    auto team = co_await store_.create_team(author_, request.team);
    if (!team) co_return fail(team.error());
    co_return Answer{admin_json(*team), to_public(team->id)};
}

awaitable<Result<Answer>> Administration::set_member(const AdminRequest& request) {
    const auto who = user(request.user);
    if (!who) co_return fail(who.error());
    const auto where = team(request.team);
    if (!where) co_return fail(where.error());
    const auto role = identity::parse_role(request.role);
    if (!role)
        co_return fail(Errc::invalid_input, "The role must be viewer, member, admin or owner.",
                       "--role");
    auto done = co_await store_.set_member(author_, *where, *who, *role);
    if (!done) co_return fail(done.error());
    co_return Answer{
        {{"user_id", to_public(*who)}, {"team_id", to_public(*where)}, {"role", request.role}},
        request.user + " is " + request.role + " of " + request.team};
}

awaitable<Result<Answer>> Administration::add_token(const AdminRequest& request) {
    const auto whose = co_await chosen(request);
    if (!whose) co_return fail(whose.error());
    const auto secret = identity::make_secret(identity::SecretKind::token);
    identity::Token token;
    token.user = whose->user;
    token.name = request.token_name;
    token.hint = secret.text.substr(0, 12);
    token.scopes = {request.scopes.begin(), request.scopes.end()};
    auto made = co_await store_.create_token(*whose, std::move(token), secret.hash, {});
    if (!made) co_return fail(made.error());
    co_return Answer{{{"secret", secret.text}}, secret.text};
}

awaitable<Result<Answer>> Administration::sign_in_link(const AdminRequest& request) {
    const auto whose = co_await chosen(request);
    if (!whose) co_return fail(whose.error());
    // The link's validity follows the database's clock; this machine's may be a day off.
    if (auto read = co_await clock_.read(); !read) co_return fail(read.error());
    const auto secret = identity::make_secret(identity::SecretKind::sign_in);
    auto made = co_await store_.create_sign_in_link(author_, whose->user, whose->team, secret.hash,
                                                    clock_.now() + kLinkLifetime);
    if (!made) co_return fail(made.error());
    const auto link = request.base_url + "/#/sign-in/" + secret.text;
    co_return Answer{{{"link", link}}, link};
}

awaitable<Result<Answer>> Administration::password_link(const AdminRequest& request) {
    const auto who = user(request.user);
    if (!who) co_return fail(who.error());
    if (auto read = co_await clock_.read(); !read) co_return fail(read.error());
    const auto secret = identity::make_secret(identity::SecretKind::password_link);
    const auto made =
        co_await passwords_.create_link(author_, *who, secret.hash, clock_.now() + kLinkLifetime);
    if (!made) co_return fail(made.error());
    const auto link = request.base_url + "/#/set-password/" + secret.text;
    co_return Answer{{{"link", link}}, link};
}

awaitable<Result<Author>> Administration::chosen(const AdminRequest& request) {
    const auto who = request.user.empty() ? author_.user : user(request.user);
    if (!who) co_return fail(who.error());
    const auto where = request.team.empty() ? co_await first_team(*who) : team(request.team);
    if (!where) co_return fail(where.error());
    co_return Author{*where, *who, author_.request_id};
}

awaitable<Result<TeamId>> Administration::first_team(UserId who) {
    for (const auto& team : teams_) {
        const auto members = co_await store_.members(team.id);
        if (!members) co_return fail(members.error());
        for (const auto& member : *members) {
            if (member.user.id == who) co_return team.id;
        }
    }
    co_return fail(Errc::conflict,
                   "The user is in no team: run `plimsoll admin set-member` first.");
}

}  // namespace plimsoll::cli
