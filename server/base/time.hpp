#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace plimsoll {

// A moment in UTC with PostgreSQL's resolution.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

// Seconds since the epoch of the machine's own clock. Leases never depend on it (they use the
// database's clock); it is passed in wherever a rule needs "now", so that tests can choose.
class Clock {
  public:
    virtual ~Clock() = default;
    virtual Timestamp now() const = 0;
};

class SystemClock final : public Clock {
  public:
    Timestamp now() const override;
};

// RFC 3339 in UTC with milliseconds, for example "2026-03-01T12:00:00.000Z".
std::string to_rfc3339(Timestamp time);

// Any RFC 3339 time, with up to six decimals of a second and with an offset, between the years 1970
// and 9999. Nothing for other texts.
std::optional<Timestamp> parse_rfc3339(const std::string& text);

}  // namespace plimsoll
