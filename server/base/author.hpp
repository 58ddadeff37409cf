#pragma once

#include "engine/base/result.hpp"
#include "server/base/id.hpp"

#include <optional>
#include <string>
#include <utility>

namespace plimsoll {

// Who makes a change, for its audit row, and what it is based on.
struct Author {
    TeamId team;  // 0: the installation's own commands
    UserId user;
    std::string request_id;  // as in the log; empty outside a request
    // The editable members as the author saw them, a JSON object, or JSON null of what was not
    // there. The change is refused with changed_meanwhile() if they differ now. None: they are not
    // compared.
    std::optional<std::string> seen = {};
};

// Error::where of changed_meanwhile().
inline constexpr auto* kSeen = "seen";

inline Error changed_meanwhile() {
    return {Errc::conflict,
            "It has been changed or deleted since you opened it. Open it again to see the current "
            "version.",
            kSeen};
}

// Why an edit found nothing to change: what the author saw is no longer there, or it never was.
inline Error not_edited(const Author& author, Error missing) {
    return author.seen ? changed_meanwhile() : std::move(missing);
}

}  // namespace plimsoll
