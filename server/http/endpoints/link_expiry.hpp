#pragma once

#include "server/http/api/handler.hpp"

#include <chrono>

namespace plimsoll::http::endpoints {

struct LinkLifetime {
    std::chrono::hours standard;
    std::chrono::hours longest;
    bool within_credential = false;  // no longer than the credential that makes the link
};

// When a new link expires: the body's `expires_at`, or after its standard life. 422 at that member.
Timestamp link_expiry(const Call& call, Timestamp now, const LinkLifetime& life);

}  // namespace plimsoll::http::endpoints
