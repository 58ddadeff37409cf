#pragma once

#include "server/base/id.hpp"

#include <string_view>

namespace plimsoll::jobs {

// Whether a team may see and use a model with this audience (models::Manifest): that of all, or its
// own.
inline bool is_for(std::string_view audience, TeamId team) {
    return audience.empty() || audience == to_public(team);
}

}  // namespace plimsoll::jobs
