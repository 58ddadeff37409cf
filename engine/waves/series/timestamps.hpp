#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::waves {

// ISO 8601 dates and times ("2024-03-01", "2024-03-01T14:30", "2024-03-01 14:30:00.5+02:00", "Z"),
// or seconds or milliseconds since 1970, as seconds since 1970 UTC. Times without a zone are taken
// to be `zone_minutes` east of UTC. Fractions of a second are dropped. None when it is no date.
std::optional<std::int64_t> parse_timestamp(std::string_view text, int zone_minutes = 0);

// "2024-03-01", with "T14:30:00Z" behind it unless it is midnight UTC.
std::string format_timestamp(std::int64_t seconds);

}  // namespace plimsoll::waves
