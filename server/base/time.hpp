#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace plimsoll {

// A point in time in UTC, with PostgreSQL's resolution of one microsecond.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

// The current wall-clock time. Leases never depend on the local clock (they use the database's); it
// is injected wherever a rule needs "now", so that tests can control it.
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

// Parses any RFC 3339 time with an offset and up to six decimals of a second, for the years 1970 to
// 9999; nullopt for other text.
std::optional<Timestamp> parse_rfc3339(const std::string& text);

}  // namespace plimsoll
