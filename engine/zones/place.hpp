#pragma once

#include "engine/zones/posix_rule.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::zones {

// A place of the time zone database: its past and near-future offset changes, and the rule that
// holds after the last one.
struct Place {
    std::string name;
    std::vector<std::int64_t> changes;  // seconds since 1970 UTC, ascending
    std::vector<std::int64_t> offsets;  // seconds east of UTC: before all changes, and after each
    std::optional<PosixRule> rule;      // after the last change; none: the offset stays

    Period period(std::int64_t at) const;
};

// A file in the Time Zone Information Format (TZif, RFC 8536), of any version. None: it is damaged,
// or counts leap seconds, which are not supported.
std::optional<Place> read_tzif(std::string_view bytes);

// The place of that name in the system's database; cached until the process exits. None: the
// database has no such place.
const Place* place_named(std::string_view name);

}  // namespace plimsoll::zones
