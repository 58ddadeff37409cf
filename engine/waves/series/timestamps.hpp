#pragma once

#include "engine/zones/zone.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::waves {

using zones::Instant;
using zones::Zone;

// When it was, and the zone that the text names; of an offset and a place, the place.
struct Timestamp : Instant {
    std::optional<Zone> zone;
};

// ISO 8601 dates and times ("2024-03-01", "2024-03-01T14:30", "2024-03-01 14:30:00.5+02:00"), with
// "Z", an offset or an IANA name behind them ("2024-03-01 14:30 Europe/Berlin",
// "2024-03-01T14:30+01:00[Europe/Berlin]"), or seconds or milliseconds since 1970. Times that name
// no zone are those of `otherwise`. Fractions of a second are dropped. Errors are sentences about
// "it", the text.
Result<Timestamp> read_timestamp(std::string_view text, const Zone& otherwise = {});

// As clocks in the zone show it: "2024-03-01", with "T14:30:00Z" or "T14:30:00+02:00" behind it
// unless it is midnight there.
std::string format_timestamp(std::int64_t seconds, const Zone& zone = {});

}  // namespace plimsoll::waves
