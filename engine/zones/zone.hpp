#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::zones {

struct Place;

// The instant of a local time, in seconds since 1970 UTC.
struct Instant {
    std::int64_t seconds = 0;
    std::optional<std::int64_t> again;  // the second occurrence, if clocks went back over it
};

// As Instant, also for a skipped local time: `seconds` is then the moment of the change.
struct Shown {
    Instant instant;
    bool skipped = false;
};

// A time zone: a fixed offset from UTC, or a place of the system's IANA time zone database, whose
// last rule extends into the future. Cheap to copy.
class Zone {
  public:
    Zone() = default;  // UTC
    // "Z", "UTC", "+02:00", "-0530", "+02", or a name of the database such as "Europe/Berlin".
    static Result<Zone> named(std::string_view name);

    // `local`: seconds since 1970 in local time. Fails for a skipped local time.
    Result<Instant> at(std::int64_t local) const;
    Shown shown(std::int64_t local) const;
    // A name that named() accepts.
    std::string name() const;
    // Seconds east of UTC at that time.
    std::int64_t offset(std::int64_t seconds) const;
    bool operator==(const Zone&) const = default;

  private:
    const Place* place_ = nullptr;  // kept until exit; null: a fixed offset
    std::int64_t offset_ = 0;
};

}  // namespace plimsoll::zones
