#include "fake_identity.hpp"

#include "server/identity/secret.hpp"

namespace plimsoll::http::test {

using identity::Principal;
using identity::Role;
using identity::SecretKind;

FakeIdentity::FakeIdentity() {
    const auto research = add_team("research");
    const auto trading = add_team("trading");
    const auto user_ada = add_user("ada", true);
    const auto user_vera = add_user("vera", false);
    const auto user_tom = add_user("tom", false);
    members_[{research, user_ada}] = Role::owner;
    members_[{research, user_vera}] = Role::viewer;
    members_[{trading, user_tom}] = Role::owner;
    const std::set<std::string, std::less<>> all = {"jobs:read", "jobs:write", "reports:read",
                                                    "team:admin", "sys:admin"};
    ada = issue(user_ada, research, all);
    vera = issue(user_vera, research, all);
    tom = issue(user_tom, trading, all);
    narrow = issue(user_ada, research, {"jobs:read"});
    brief = issue(user_ada, research, all, parse_rfc3339(std::string(kBriefEnd)));
    const auto secret = identity::make_secret(SecretKind::sign_in);
    links_[secret.hash] = {user_ada, research, {}};
    link = secret.text;
}

UserId FakeIdentity::add_user(const std::string& name, bool administrator) {
    const UserId id{next_++};
    users_[id] = {id, name, "", administrator, false, Timestamp()};
    return id;
}

TeamId FakeIdentity::add_team(const std::string& name) {
    const TeamId id{next_++};
    teams_[id] = {id, name, Timestamp()};
    return id;
}

std::string FakeIdentity::issue(UserId user, TeamId team, std::set<std::string, std::less<>> scopes,
                                std::optional<Timestamp> expires_at) {
    const auto secret = identity::make_secret(SecretKind::token);
    identity::Token token;
    token.id = TokenId{next_++};
    token.user = user;
    token.name = "test";
    token.hint = secret.text.substr(0, 12);
    token.scopes = std::move(scopes);
    token.expires_at = expires_at;
    tokens_[secret.hash] = {token, team};
    return secret.text;
}

Result<Principal> FakeIdentity::principal(UserId user, TeamId team) const {
    const auto member = members_.find({team, user});
    if (member == members_.end()) return fail(Errc::unauthenticated, "Not a member.");
    Principal who;
    who.user = users_.at(user);
    who.team = teams_.at(team);
    who.role = member->second;
    return who;
}

awaitable<Result<Principal>> FakeIdentity::by_token(std::string hash) {
    const auto issued = tokens_.find(hash);
    if (issued == tokens_.end()) co_return fail(Errc::unauthenticated, "Unknown.");
    auto who = principal(issued->second.token.user, issued->second.team);
    if (who) {
        who->token = issued->second.token.id;
        who->scopes = issued->second.token.scopes;
        who->expires_at = issued->second.token.expires_at;
    }
    co_return who;
}

awaitable<Result<Principal>> FakeIdentity::by_session(std::string hash) {
    const auto session = sessions_.find(hash);
    if (session == sessions_.end()) co_return fail(Errc::unauthenticated, "Unknown.");
    auto who = principal(session->second.who.user, session->second.who.team);
    if (who) {
        who->session = session->second.id;
        who->csrf = session->second.csrf;
        for (const auto& [hash_of_token, issued] : tokens_) {
            if (issued.token.id == session->second.who.token) {
                who->expires_at = issued.token.expires_at;
            }
        }
    }
    co_return who;
}

awaitable<Result<identity::NewSession>> FakeIdentity::spend_sign_in_link(std::string hash) {
    const auto found = links_.find(hash);
    if (found == links_.end()) co_return fail(Errc::unauthenticated, "The link is spent.");
    const auto who = found->second;
    links_.erase(found);
    co_return who;
}

awaitable<Result<SessionId>> FakeIdentity::create_session(identity::NewSession who,
                                                          std::string hash, std::string csrf,
                                                          Timestamp) {
    const SessionId id{next_++};
    sessions_[hash] = {who, id, csrf};
    co_return id;
}

awaitable<Result<void>> FakeIdentity::end_session(SessionId id) {
    std::erase_if(sessions_, [id](const auto& entry) { return entry.second.id == id; });
    co_return Result<void>();
}

awaitable<Result<void>> FakeIdentity::create_sign_in_link(Author, UserId user, TeamId team,
                                                          std::string hash, Timestamp) {
    if (!users_.contains(user)) co_return fail(Errc::not_found, "There is no such user.");
    links_[hash] = {user, team, {}};
    co_return Result<void>();
}

awaitable<Result<std::vector<identity::User>>> FakeIdentity::users() {
    std::vector<identity::User> all;
    for (const auto& [id, user] : users_) all.push_back(user);
    co_return all;
}

awaitable<Result<identity::User>> FakeIdentity::create_user(Author, std::string name,
                                                            std::string email, bool administrator) {
    for (const auto& [id, user] : users_) {
        if (user.name == name) co_return fail(Errc::conflict, "There is a user of this name.");
    }
    const auto id = add_user(name, administrator);
    users_[id].email = email;
    co_return users_[id];
}

awaitable<Result<std::vector<identity::Team>>> FakeIdentity::teams(UserId user) {
    std::vector<identity::Team> found;
    for (const auto& [id, team] : teams_) {
        if (users_.at(user).administrator || members_.contains({id, user})) found.push_back(team);
    }
    co_return found;
}

awaitable<Result<identity::Team>> FakeIdentity::create_team(Author, std::string name) {
    co_return teams_[add_team(name)];
}

awaitable<Result<std::vector<identity::Member>>> FakeIdentity::members(TeamId team) {
    std::vector<identity::Member> found;
    for (const auto& [place, role] : members_) {
        if (place.first == team) found.push_back({users_.at(place.second), role});
    }
    co_return found;
}

awaitable<Result<void>> FakeIdentity::set_member(Author, TeamId team, UserId user, Role role) {
    if (!users_.contains(user)) co_return fail(Errc::not_found, "There is no such user.");
    members_[{team, user}] = role;
    co_return Result<void>();
}

awaitable<Result<void>> FakeIdentity::remove_member(Author, TeamId team, UserId user) {
    members_.erase({team, user});
    co_return Result<void>();
}

awaitable<Result<std::vector<identity::Token>>> FakeIdentity::tokens(TeamId team,
                                                                     std::optional<UserId> user) {
    std::vector<identity::Token> found;
    for (const auto& [hash, issued] : tokens_) {
        if (issued.team == team && (!user || issued.token.user == *user)) {
            found.push_back(issued.token);
        }
    }
    co_return found;
}

awaitable<Result<identity::Token>> FakeIdentity::create_token(Author author, identity::Token token,
                                                              std::string hash) {
    token.id = TokenId{next_++};
    tokens_[hash] = {token, author.team};
    co_return token;
}

awaitable<Result<void>> FakeIdentity::revoke_token(Author, TokenId id) {
    std::erase_if(tokens_, [id](const auto& entry) { return entry.second.token.id == id; });
    co_return Result<void>();
}

awaitable<Result<bool>> FakeIdentity::bootstrap(std::string, std::string, std::string, Timestamp) {
    co_return false;
}

}  // namespace plimsoll::http::test
