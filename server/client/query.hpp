#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::client {

// The target of a request with these parameters; those with an empty value are omitted.
std::string with_query(std::string_view path,
                       const std::vector<std::pair<std::string_view, std::string>>& parameters);

}  // namespace plimsoll::client
