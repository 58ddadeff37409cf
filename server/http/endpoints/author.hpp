#pragma once

#include "server/base/author.hpp"
#include "server/http/api/handler.hpp"

namespace plimsoll::http::endpoints {

// The caller as the author of the call's changes.
inline Author author_of(const Call& call) {
    return {call.principal.team.id, call.principal.user.id, call.request.id, {}};
}

}  // namespace plimsoll::http::endpoints
