#pragma once

#include "server/client/api_client.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::client {

// A list of all pages: an object whose `items` are those of every page. `target` is that of the
// first page.
Result<nlohmann::json> whole_list(ApiClient& api, const std::string& target);
// The same from the server that `plimsoll login` signed in to.
Result<nlohmann::json> whole_list(const std::string& target);

}  // namespace plimsoll::client
