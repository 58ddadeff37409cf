#pragma once

#include "server/http/messages/request.hpp"

#include <string>
#include <vector>

namespace plimsoll::http {

// A limit and what remains of it: `left` units, and more become available in `wait` seconds.
// `allowed` has the format of the field: q units (requests by default) in w seconds.
struct RatePolicy {
    std::string name;
    std::string allowed;
    long left = 0;
    long wait = 0;
};

// The fields of draft-ietf-httpapi-ratelimit-headers; none without a policy.
inline std::vector<Header> rate_limit_fields(const std::vector<RatePolicy>& policies) {
    std::string allowed;
    std::string left;
    for (const auto& policy : policies) {
        const std::string name = (allowed.empty() ? "\"" : ", \"") + policy.name + '"';
        allowed += name + ';' + policy.allowed;
        left += name + ";r=" + std::to_string(policy.left) + ";t=" + std::to_string(policy.wait);
    }
    if (policies.empty()) return {};
    return {{"RateLimit-Policy", std::move(allowed)}, {"RateLimit", std::move(left)}};
}

// Headers of a 429: the fields of the exceeded limit, and Retry-After.
inline std::vector<Header> rate_limited(const std::string& policy, const std::string& allowed,
                                        long wait) {
    auto headers = rate_limit_fields({{policy, allowed, 0, wait}});
    headers.push_back({"Retry-After", std::to_string(wait)});
    return headers;
}

}  // namespace plimsoll::http
