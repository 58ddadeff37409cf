#include "tests/fakes/fake_identity.hpp"

#include "server/identity/secret.hpp"
#include "tests/fakes/stale.hpp"

#include <algorithm>
#include <cctype>

namespace plimsoll::fakes {

using identity::Principal;
using identity::Role;
using identity::SecretKind;

namespace {

Timestamp now() {
    return SystemClock().now();
}

std::string lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

}  // namespace

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
    links_[secret.hash] = {{user_ada, research, {}}, now() + std::chrono::hours(1)};
    link = secret.text;
}

std::string FakeIdentity::name_of(UserId user) const {
    const auto found = users_.find(user);
    return found == users_.end() ? "" : found->second.name;
}

std::string FakeIdentity::name_of(TeamId team) const {
    const auto found = teams_.find(team);
    return found == teams_.end() ? "" : found->second.name;
}

UserId FakeIdentity::add_user(const std::string& name, bool administrator) {
    const UserId id{next_++};
    users_[id] = {id, name, "", administrator, false, now()};
    return id;
}

TeamId FakeIdentity::add_team(const std::string& name) {
    const TeamId id{next_++};
    teams_[id] = {id, name, now()};
    return id;
}

std::string FakeIdentity::issue(UserId user, TeamId team, std::set<std::string, std::less<>> scopes,
                                std::optional<Timestamp> expires_at) {
    const auto secret = identity::make_secret(SecretKind::token);
    identity::Token token;
    token.id = TokenId{next_++};
    token.user = user;
    token.user_name = name_of(user);
    token.name = "test";
    token.hint = secret.text.substr(0, 12);
    token.scopes = std::move(scopes);
    token.created_at = now();
    token.expires_at = expires_at;
    tokens_[secret.hash] = {token, team};
    return secret.text;
}

Result<Principal> FakeIdentity::principal(UserId user, TeamId team) const {
    const auto member = members_.find({team, user});
    if (member == members_.end()) return fail(Errc::unauthenticated, "Not a member.");
    if (users_.at(user).disabled) return fail(Errc::unauthenticated, "Disabled.");
    if (teams_.at(team).archived) return fail(Errc::unauthenticated, "Archived.");
    Principal who;
    who.user = users_.at(user);
    who.team = teams_.at(team);
    who.role = member->second;
    return who;
}

FakeIdentity::Issued* FakeIdentity::valid(TokenId id) {
    for (auto& [hash, issued] : tokens_) {
        const auto& end = issued.token.expires_at;
        if (issued.token.id == id) return !end || *end > now() ? &issued : nullptr;
    }
    return nullptr;
}

bool FakeIdentity::is_last_owner(TeamId team, UserId user) const {
    const auto owns = [&](const auto& member) {
        return member.first.first == team && member.second == Role::owner;
    };
    const auto own = members_.find({team, user});
    return own != members_.end() && own->second == Role::owner &&
           std::ranges::count_if(members_, owns) == 1;
}

awaitable<Result<std::string>> FakeIdentity::cursor_key() {
    co_return std::string(identity::kSealKeyBytes, 'k');
}

awaitable<Result<Principal>> FakeIdentity::by_token(std::string hash) {
    const auto found = tokens_.find(hash);
    auto* issued = found == tokens_.end() ? nullptr : valid(found->second.token.id);
    if (issued == nullptr) co_return fail(Errc::unauthenticated, "Unknown or expired.");
    auto who = principal(issued->token.user, issued->team);
    if (who) {
        issued->token.last_used_at = now();
        who->token = issued->token.id;
        who->scopes = issued->token.scopes;
        who->expires_at = issued->token.expires_at;
    }
    co_return who;
}

awaitable<Result<Principal>> FakeIdentity::by_session(std::string hash) {
    const auto found = sessions_.find(hash);
    if (found == sessions_.end() || found->second.expires_at <= now()) {
        co_return fail(Errc::unauthenticated, "Unknown or expired.");
    }
    const auto& session = found->second;
    auto who = principal(session.who.user, session.who.team);
    if (who && session.who.token) {
        const auto* opened_with = valid(*session.who.token);
        if (opened_with == nullptr) co_return fail(Errc::unauthenticated, "Its token has ended.");
        who->expires_at = opened_with->token.expires_at;
    }
    if (who) {
        who->session = session.id;
        who->csrf = session.csrf;
    }
    co_return who;
}

awaitable<Result<identity::NewSession>> FakeIdentity::spend_sign_in_link(std::string hash) {
    const auto found = links_.find(hash);
    if (found == links_.end() || found->second.expires_at <= now() ||
        teams_.at(found->second.who.team).archived) {
        co_return fail(Errc::unauthenticated, "The link is spent or expired.");
    }
    const auto who = found->second.who;
    links_.erase(found);
    co_return who;
}

awaitable<Result<SessionId>> FakeIdentity::create_session(identity::NewSession who,
                                                          std::string hash, std::string csrf,
                                                          Timestamp expires_at) {
    const SessionId id{next_++};
    if (!who.address.empty()) networks_.emplace(who.user, who.address);
    last_teams_[who.user] = who.team;
    sessions_[hash] = {who, id, csrf, expires_at, now()};
    co_return id;
}

awaitable<Result<std::vector<identity::Session>>> FakeIdentity::sessions(
    identity::SessionsOf whose) {
    std::vector<identity::Session> found;
    for (const auto& [hash, one] : sessions_) {
        const bool here = one.who.team == whose.team;
        const bool own = one.who.user == whose.user && (whose.all_teams || here);
        if (!own && !(whose.whole_team && here)) continue;
        if (one.expires_at <= now() || users_.at(one.who.user).disabled) continue;
        if (one.who.token && valid(*one.who.token) == nullptr) continue;
        found.push_back({one.id,
                         one.who.user,
                         name_of(one.who.user),
                         teams_.at(one.who.team),
                         one.who.address,
                         one.who.agent,
                         one.created_at,
                         {},
                         one.expires_at});
    }
    std::ranges::sort(found, {}, &identity::Session::id);
    co_return found;
}

awaitable<Result<void>> FakeIdentity::end_session(Author, SessionId id) {
    std::erase_if(sessions_, [id](const auto& entry) { return entry.second.id == id; });
    co_return Result<void>();
}

awaitable<Result<void>> FakeIdentity::switch_team(SessionId id, TeamId team) {
    for (auto& [hash, session] : sessions_) {
        if (session.id != id) continue;
        if (!members_.contains({team, session.who.user}) || teams_.at(team).archived) break;
        if (session.who.token) co_return fail(Errc::conflict, "A token opened the session.");
        session.who.team = team;
        co_return Result<void>();
    }
    co_return fail(Errc::not_found, "The team was not found.");
}

awaitable<Result<void>> FakeIdentity::create_sign_in_link(Author, UserId user, TeamId team,
                                                          std::string hash, Timestamp expires_at) {
    if (!members_.contains({team, user})) co_return fail(Errc::not_found, "Not a member.");
    if (accounts_.contains(user)) co_return fail(Errc::conflict, "A service account.");
    links_[hash] = {{user, team, {}}, expires_at};
    co_return Result<void>();
}

awaitable<Result<std::vector<identity::Account>>> FakeIdentity::users() {
    std::vector<identity::Account> all;
    for (const auto& [id, user] : users_) {
        if (!user.service) {
            const bool verified = !user.email.empty() && !unverified_.contains(id);
            all.push_back({user, verified, with_factor.contains(id), provided.contains(id)});
        }
    }
    co_return all;
}

awaitable<Result<identity::User>> FakeIdentity::create_user(Author, std::string name,
                                                            std::string email, bool administrator) {
    email = lower_case(std::move(email));
    if (is_taken(name) || owner_of(email)) co_return fail(Errc::conflict, "Taken.");
    const auto id = add_user(name, administrator);
    users_[id].email = email;
    co_return users_[id];
}

awaitable<Result<identity::User>> FakeIdentity::update_user(Author author, UserId id,
                                                            identity::UserChange change) {
    const auto found = users_.find(id);
    if (found == users_.end() || found->second.service) {
        co_return fail(Errc::not_found, "The user was not found.");
    }
    auto user = found->second;
    if (stale(author,
              {{"name", user.name},
               {"email", user.email.empty() ? nlohmann::json() : nlohmann::json(user.email)},
               {"is_admin", user.administrator},
               {"disabled", user.disabled}})) {
        co_return fail(changed_meanwhile());
    }
    user.name = change.name.value_or(user.name);
    if (change.email) user.email = lower_case(*change.email);
    const auto owner = change.email ? owner_of(user.email) : std::nullopt;
    if (is_taken(user.name, id) || (owner && *owner != id))
        co_return fail(Errc::conflict, "Taken.");
    user.administrator = change.administrator.value_or(user.administrator);
    user.disabled = change.disabled.value_or(user.disabled);
    bool administrated = user.administrator && !user.disabled;
    for (const auto& [other, one] : users_) {
        if (other == id || one.service) continue;
        administrated = administrated || (one.administrator && !one.disabled);
    }
    if (!administrated) co_return fail(Errc::conflict, "Nobody would administrate.");
    if (change.email) unverified_.erase(id);
    found->second = user;
    co_return user;
}

awaitable<Result<std::vector<identity::Team>>> FakeIdentity::teams(UserId user) {
    const auto person = users_.find(user);
    const bool administrator = person != users_.end() && person->second.administrator;
    std::vector<identity::Team> found;
    for (const auto& [id, team] : teams_) {
        if (administrator || members_.contains({id, user})) found.push_back(team);
    }
    co_return found;
}

awaitable<Result<std::vector<identity::Membership>>> FakeIdentity::memberships(UserId user) {
    std::vector<identity::Membership> found;
    for (const auto& [place, role] : members_) {
        const auto& team = teams_.at(place.first);
        if (place.second == user && !team.archived) found.push_back({team, role});
    }
    co_return found;
}

awaitable<Result<identity::Team>> FakeIdentity::create_team(Author author, std::string name) {
    for (const auto& [id, team] : teams_) {
        if (team.name == name) co_return fail(Errc::conflict, "There is a team of this name.");
    }
    const auto id = add_team(name);
    members_[{id, author.user}] = Role::owner;
    co_return teams_[id];
}

awaitable<Result<std::vector<identity::Member>>> FakeIdentity::members(TeamId team) {
    std::vector<identity::Member> found;
    for (const auto& [place, role] : members_) {
        if (place.first != team || accounts_.contains(place.second)) continue;
        found.push_back({users_.at(place.second), role});
    }
    co_return found;
}

awaitable<Result<void>> FakeIdentity::remove_member(Author, TeamId team, UserId user) {
    if (is_last_owner(team, user)) co_return fail(Errc::conflict, "The team would have no owner.");
    if (!members_.contains({team, user})) co_return fail(Errc::not_found, "Not a member.");
    leave_team(team, user);
    co_return Result<void>();
}

void FakeIdentity::leave_team(TeamId team, UserId user) {
    members_.erase({team, user});
    std::erase_if(tokens_, [&](const auto& entry) {
        return entry.second.team == team && entry.second.token.user == user;
    });
    const auto theirs = [&](const auto& entry) {
        return entry.second.who.team == team && entry.second.who.user == user;
    };
    std::erase_if(sessions_, theirs);
    std::erase_if(links_, theirs);
}

awaitable<Result<std::vector<identity::Token>>> FakeIdentity::tokens(TeamId team,
                                                                     std::optional<UserId> user) {
    std::vector<identity::Token> found;
    for (const auto& [hash, issued] : tokens_) {
        if (issued.team == team && (!user || issued.token.user == *user)) {
            found.push_back(issued.token);
        }
    }
    std::ranges::sort(found, {}, &identity::Token::id);
    co_return found;
}

awaitable<Result<identity::Token>> FakeIdentity::create_token(Author author, identity::Token token,
                                                              std::string hash,
                                                              identity::TokenOrigin origin) {
    if (!members_.contains({author.team, token.user})) {
        co_return fail(Errc::not_found, "Not a member.");
    }
    const auto live = std::ranges::count_if(tokens_, [&](const auto& entry) {
        return entry.second.team == author.team && entry.second.token.user == token.user &&
               valid(entry.second.token.id) != nullptr;
    });
    if (live >= identity::kTokensPerUser) co_return fail(Errc::conflict, "Too many.");
    if (!origin.token && origin.session) {
        const auto opened = std::ranges::find(sessions_, *origin.session,
                                              [](const auto& entry) { return entry.second.id; });
        if (opened != sessions_.end()) origin.token = opened->second.who.token;
    }
    token.id = TokenId{next_++};
    token.user_name = name_of(token.user);
    token.created_at = now();
    tokens_[hash] = {token, author.team, origin.token};
    co_return token;
}

awaitable<Result<void>> FakeIdentity::revoke_token(Author author, TokenId id) {
    const auto gone = std::erase_if(tokens_, [&](const auto& entry) {
        return entry.second.team == author.team && entry.second.token.id == id;
    });
    if (gone == 0) co_return fail(Errc::not_found, "The token was not found.");
    std::vector<TokenId> made;
    for (const auto& [hash, issued] : tokens_) {
        if (issued.parent == id) made.push_back(issued.token.id);
    }
    for (const auto child : made) co_await revoke_token(author, child);
    co_return Result<void>();
}

awaitable<Result<bool>> FakeIdentity::bootstrap(std::string, std::string, std::string, Timestamp) {
    co_return false;  // it starts with users
}

}  // namespace plimsoll::fakes
