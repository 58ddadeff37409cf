#include "server/base/time.hpp"

#include <cstdio>

namespace plimsoll {

Timestamp SystemClock::now() const {
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
}

std::string to_rfc3339(Timestamp time) {
    using namespace std::chrono;
    const auto day = floor<days>(time);
    const year_month_day date(day);
    const auto milliseconds_of_day = floor<milliseconds>(time - day).count();
    char text[40];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                  static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()),
                  static_cast<int>(milliseconds_of_day / 3'600'000),
                  static_cast<int>(milliseconds_of_day / 60'000 % 60),
                  static_cast<int>(milliseconds_of_day / 1000 % 60),
                  static_cast<int>(milliseconds_of_day % 1000));
    return text;
}

}  // namespace plimsoll
