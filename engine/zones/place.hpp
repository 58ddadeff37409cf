#pragma once

#include "engine/zones/posix_rule.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::zones {

// What a file of the time zone database says of a place: the changes of its clocks in the past and
// the near future, and the rule by which they go on.
struct Place {
    std::string name;
    std::vector<std::int64_t> changes;  // seconds since 1970 UTC, ascending
    std::vector<std::int64_t> offsets;  // seconds east of UTC: before all changes, and after each
    std::optional<PosixRule> rule;      // after the last change; none: nothing changes any more

    Period period(std::int64_t at) const;
};

// A file in the Time Zone Information Format (TZif, RFC 8536), of any version. None: it is not
// whole, or counts leap seconds, which no clock here does.
std::optional<Place> read_tzif(std::string_view bytes);

// The place of that name in the system's database; kept for as long as the program runs. None:
// there is no such place.
const Place* place_named(std::string_view name);

}  // namespace plimsoll::zones
