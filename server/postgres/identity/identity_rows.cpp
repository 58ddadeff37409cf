#include "server/postgres/identity/identity_rows.hpp"

#include <stdexcept>

namespace plimsoll::postgres {
namespace {

identity::Role role_of(const Row& row) {
    const auto text = row.get<std::string>("role");
    const auto role = identity::parse_role(text);
    if (!role) throw std::logic_error("unknown role " + text);
    return *role;
}

std::string text_or_empty(const Row& row, std::string_view column) {
    return row.get<std::optional<std::string>>(column).value_or("");
}

}  // namespace

identity::User to_user(const Row& row) {
    return {row.get<UserId>("id"),       row.get<std::string>("name"),
            text_or_empty(row, "email"), row.get<bool>("is_admin"),
            row.get<bool>("disabled"),   row.get<Timestamp>("created_at")};
}

identity::Account to_user_account(const Row& row) {
    return {to_user(row), row.get<bool>("email_verified"), row.get<bool>("second_factor"),
            row.get<bool>("provided")};
}

identity::Team to_team(const Row& row) {
    return {row.get<TeamId>("id"), row.get<std::string>("name"), row.get<Timestamp>("created_at"),
            row.get<bool>("archived")};
}

identity::Member to_member(const Row& row) { return {to_user(row), role_of(row)}; }

identity::Membership to_membership(const Row& row) { return {to_team(row), role_of(row)}; }

identity::Session to_session(const Row& row) {
    identity::Session session;
    session.id = row.get<SessionId>("id");
    session.user = row.get<UserId>("user_id");
    session.user_name = row.get<std::string>("user_name");
    session.team.id = row.get<TeamId>("team_id");
    session.team.name = row.get<std::string>("team_name");
    session.address = text_or_empty(row, "address");
    session.agent = text_or_empty(row, "agent");
    session.created_at = row.get<Timestamp>("created_at");
    session.last_used_at = row.get<std::optional<Timestamp>>("last_used_at");
    session.expires_at = row.get<Timestamp>("expires_at");
    return session;
}

identity::Token to_token(const Row& row) {
    identity::Token token;
    token.id = TokenId{row.get<std::int64_t>("id")};
    token.user = row.get<UserId>("user_id");
    token.user_name = text_or_empty(row, "user_name");
    token.name = row.get<std::string>("name");
    token.hint = row.get<std::string>("hint");
    for (auto& scope : row.get<std::vector<std::string>>("scopes")) token.scopes.insert(scope);
    token.created_at = row.get<Timestamp>("created_at");
    token.expires_at = row.get<std::optional<Timestamp>>("expires_at");
    token.last_used_at = row.get<std::optional<Timestamp>>("last_used_at");
    return token;
}

identity::Principal to_principal(const Row& row) {
    identity::Principal principal;
    principal.user = {row.get<UserId>("user_id"),
                      row.get<std::string>("user_name"),
                      text_or_empty(row, "email"),
                      row.get<bool>("is_admin"),
                      false,  // a disabled user cannot authenticate
                      row.get<Timestamp>("user_created_at"),
                      row.get<bool>("is_service")};
    principal.team = {row.get<TeamId>("team_id"), row.get<std::string>("team_name"),
                      row.get<Timestamp>("team_created_at")};
    principal.role = role_of(row);
    principal.expires_at = row.get<std::optional<Timestamp>>("token_expires_at");
    return principal;
}

Error invalid_credential() {
    return {Errc::unauthenticated, "The credentials are unknown, expired or revoked.", {}};
}

}  // namespace plimsoll::postgres
