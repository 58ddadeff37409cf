#pragma once

#include "server/http/messages/problem.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::http {

// A parsed and percent-decoded request target; an encoded slash stays inside its segment.
struct Target {
    std::vector<std::string> segments;  // "/v1/jobs" is {"v1", "jobs"}, "/" is empty
    std::vector<std::pair<std::string, std::string>> query;
};

// 400 for an invalid URL and for hostile segments (NUL, "..").
Outcome<Target> parse_target(std::string_view text);

}  // namespace plimsoll::http
