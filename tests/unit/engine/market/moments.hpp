#pragma once

#include "engine/zones/zone.hpp"

#include <chrono>
#include <cstdio>
#include <string>

namespace plimsoll::market {

// "2026-03-02 09:30" on the clocks of New York, in seconds since 1970 UTC.
inline std::int64_t new_york(const std::string& text) {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    int hours = 0;
    int minutes = 0;
    std::sscanf(text.c_str(), "%d-%u-%u %d:%d", &year, &month, &day, &hours, &minutes);
    const std::chrono::local_days date{std::chrono::year(year) / static_cast<int>(month) /
                                       static_cast<int>(day)};
    const auto zone = zones::Zone::named("America/New_York").value();
    return zone.at(date.time_since_epoch().count() * 86400 + hours * 3600 + minutes * 60)
        .value()
        .seconds;
}

}  // namespace plimsoll::market
