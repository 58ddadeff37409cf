#pragma once

#include "engine/zones/zone.hpp"

#include <cstdint>
#include <optional>
#include <span>
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

// How dates with two short numbers are written: 22.03.2024, 03/22/24.
enum class DayOrder { day_first, month_first };

// The order that the dates themselves show: by a day above 12, else by the one in which they only
// rise or only fall. None: both are possible. Dates that leave no choice are day first.
std::optional<DayOrder> day_order_of(std::span<const std::string_view> dates);

// The date as ISO 8601 for read_timestamp(): "22.03.2024 14:30", "22-Mar-2024", "Mar 22, 2024",
// "20240322", "2024/03/22 2:30 PM". `time` is that of another field. What is no such date is
// returned as it is.
std::string in_iso(std::string_view date, std::string_view time, DayOrder order);

}  // namespace plimsoll::waves
