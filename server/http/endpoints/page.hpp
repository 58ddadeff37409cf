#pragma once

#include <string>
#include <string_view>

namespace plimsoll::http::endpoints {

// The value of `Link` for the next page: the same request with another cursor.
std::string next_link(std::string_view target, std::string_view cursor);

}  // namespace plimsoll::http::endpoints
