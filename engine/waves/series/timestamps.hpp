#pragma once

#include "engine/zones/zone.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::waves {

using zones::Instant;
using zones::Zone;

// The instant, and the zone that the text names; the place, if it has an offset and a place.
struct Timestamp : Instant {
    std::optional<Zone> zone;
};

// ISO 8601 dates and times ("2024-03-01", "2024-03-01T14:30", "2024-03-01 14:30:00.5+02:00"), with
// an optional "Z", offset or IANA name ("2024-03-01 14:30 Europe/Berlin",
// "2024-03-01T14:30+01:00[Europe/Berlin]"), or seconds to nanoseconds since 1970. Times without a
// zone are in `otherwise`. Fractions of a second are dropped. Error messages refer to the text as
// "it".
Result<Timestamp> read_timestamp(std::string_view text, const Zone& otherwise = {});

// Local time in the zone: "2024-03-01", with "T14:30:00Z" or "T14:30:00+02:00" appended unless it
// is midnight there.
std::string format_timestamp(std::int64_t seconds, const Zone& zone = {});

}  // namespace plimsoll::waves
