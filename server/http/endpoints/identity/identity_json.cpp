#include "server/http/endpoints/identity/identity_json.hpp"

#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/query.hpp"

namespace plimsoll::http::endpoints {

json user_json(const identity::User& user) {
    return {{"id", to_public(user.id)},          {"name", user.name},
            {"email", text_or_null(user.email)}, {"is_admin", user.administrator},
            {"disabled", user.disabled},         {"created_at", to_rfc3339(user.created_at)}};
}

json editable_team(const identity::Team& team) {
    return {{"name", team.name}, {"archived", team.archived}};
}

json team_json(const identity::Team& team) {
    return {{"id", to_public(team.id)},
            {"name", team.name},
            {"archived", team.archived},
            {"version", content_version(editable_team(team))},
            {"created_at", to_rfc3339(team.created_at)}};
}

json editable_member(const identity::Member& member) {
    return {{"role", identity::to_string(member.role)}};
}

json member_json(const identity::Member& member) {
    return {{"user", user_json(member.user)},
            {"role", identity::to_string(member.role)},
            {"version", content_version(editable_member(member))}};
}

json editable_token(const identity::Token& token) { return {{"name", token.name}}; }

json token_json(const identity::Token& token) {
    return {{"id", to_public(token.id)},
            {"name", token.name},
            {"version", content_version(editable_token(token))},
            {"hint", token.hint},
            {"user", {{"id", to_public(token.user)}, {"name", token.user_name}}},
            {"scopes", token.scopes},
            {"created_at", to_rfc3339(token.created_at)},
            {"expires_at", time_or_null(token.expires_at)},
            {"last_used_at", time_or_null(token.last_used_at)}};
}

json principal_json(const identity::Principal& principal) {
    return {{"user", user_json(principal.user)},
            {"team", team_json(principal.team)},
            {"role", identity::to_string(principal.role)},
            {"scopes", scopes_of(principal)}};
}

TeamId team_id_of(const std::optional<std::string>& text) {
    return parse_id<TeamId>("team", text, "The team was not found.");
}

UserId user_id_of(const std::optional<std::string>& text) {
    return parse_id<UserId>("user", text, "The user was not found.");
}

}  // namespace plimsoll::http::endpoints
