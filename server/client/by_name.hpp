#pragma once

#include "server/client/api_client.hpp"

namespace plimsoll::client {

// A list whose items have an ID and a name.
struct Named {
    std::string target;  // of its first page: "/v1/teams"
    std::string prefix;  // of its ids: "team_"
    std::string what;    // in errors: "team"
};

inline const Named kTeams{"/v1/teams", "team_", "team"};
inline const Named kSchedules{"/v1/schedules", "sched_", "schedule"};

// The ID of the item that `text` names; an ID is returned as it is. Errc::not_found: no item has
// this name (the message suggests one); Errc::conflict: several do.
Result<std::string> id_of(ApiClient& api, const Named& list, const std::string& text);

}  // namespace plimsoll::client
