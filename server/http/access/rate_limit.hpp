#pragma once

#include "server/http/messages/request.hpp"

#include <string>
#include <vector>

namespace plimsoll::http {

// Headers of a 429: Retry-After (seconds) and the fields of draft-ietf-httpapi-ratelimit-headers. A
// policy allows q units (requests by default) in w seconds; r are left, and more become available
// in t seconds.
inline std::vector<Header> rate_limited(const std::string& policy, const std::string& allowed,
                                        long wait) {
    const auto seconds = std::to_string(wait);
    return {{"Retry-After", seconds},
            {"RateLimit-Policy", '"' + policy + "\";" + allowed},
            {"RateLimit", '"' + policy + "\";r=0;t=" + seconds}};
}

}  // namespace plimsoll::http
