#pragma once

#include <cstdint>

namespace plimsoll::zones {

// A period of constant UTC offset: [begin, end) in seconds since 1970 UTC; INT64_MIN and INT64_MAX
// where it is unbounded.
struct Period {
    std::int64_t begin = INT64_MIN;
    std::int64_t end = INT64_MAX;
    std::int64_t offset = 0;  // seconds east of UTC
};

}  // namespace plimsoll::zones
