#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::zones {

struct Place;

// When a clock showed some time, in seconds since 1970 UTC.
struct Instant {
    std::int64_t seconds = 0;
    std::optional<std::int64_t> again;  // once more, where clocks went back over it
};

// As Instant, also for a time that clocks skip: `seconds` is then when they were put forward.
struct Shown {
    Instant instant;
    bool skipped = false;
};

// Where clocks show the time: an offset from UTC, or a place of the system's IANA time zone
// database, whose offset changes through the year, for ever by the rule that holds last. Small, to
// be copied.
class Zone {
  public:
    Zone() = default;  // UTC
    // "Z", "UTC", "+02:00", "-0530", "+02", or a name of the database such as "Europe/Berlin".
    static Result<Zone> named(std::string_view name);

    // `local`: seconds since 1970 as clocks count them there. Fails where clocks skip that time.
    Result<Instant> at(std::int64_t local) const;
    Shown shown(std::int64_t local) const;
    // As named() takes it.
    std::string name() const;
    // Seconds east of UTC at that time.
    std::int64_t offset(std::int64_t seconds) const;
    bool operator==(const Zone&) const = default;

  private:
    const Place* place_ = nullptr;  // kept for ever; none: an offset
    std::int64_t offset_ = 0;
};

}  // namespace plimsoll::zones
