#pragma once

#include "server/client/api_client.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::client {

// A list of all pages: an object whose `items` are those of every page. `target` is that of the
// first page.
Result<nlohmann::json> whole_list(ApiClient& api, const std::string& target);
// The same from the server that `plimsoll login` signed in to.
Result<nlohmann::json> whole_list(const std::string& target);

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

// The target of a request with these parameters; those with an empty value are omitted.
std::string with_query(std::string_view path,
                       const std::vector<std::pair<std::string_view, std::string>>& parameters);

}  // namespace plimsoll::client
