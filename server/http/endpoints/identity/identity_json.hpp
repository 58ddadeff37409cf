#pragma once

#include "server/http/api/handler.hpp"
#include "server/http/messages/problem.hpp"
#include "server/identity/store.hpp"

#include <nlohmann/json.hpp>

// JSON of users, teams, members and tokens, as in the contract.
namespace plimsoll::http::endpoints {

nlohmann::json user_json(const identity::User& user);
nlohmann::json team_json(const identity::Team& team);
nlohmann::json member_json(const identity::Member& member);
nlohmann::json token_json(const identity::Token& token);
// Their editable members.
nlohmann::json editable_team(const identity::Team& team);
nlohmann::json editable_member(const identity::Member& member);
nlohmann::json editable_token(const identity::Token& token);
// Of a Session or Me, without the CSRF token.
nlohmann::json principal_json(const identity::Principal& principal);

// 404 for a malformed id, as for a missing object.
TeamId team_id_of(const std::optional<std::string>& text);
UserId user_id_of(const std::optional<std::string>& text);

}  // namespace plimsoll::http::endpoints
