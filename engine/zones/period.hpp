#pragma once

#include <cstdint>

namespace plimsoll::zones {

// A time through which clocks are the same distance from UTC: [begin, end) in seconds since 1970
// UTC; INT64_MIN and INT64_MAX where it never began or never ends.
struct Period {
    std::int64_t begin = INT64_MIN;
    std::int64_t end = INT64_MAX;
    std::int64_t offset = 0;  // seconds east of UTC
};

}  // namespace plimsoll::zones
