#include "engine/waves/series/series.hpp"

#include <algorithm>

namespace plimsoll::waves {

bool Series::has_times_of_day() const {
    constexpr std::int64_t kDay = 86'400;
    return std::ranges::any_of(time,
                               [&](std::int64_t at) { return (at + zone.offset(at)) % kDay != 0; });
}

void Series::tell_times_in(zones::Zone there) {
    zone = {};
    if (has_times_of_day()) zone = there;
}

}  // namespace plimsoll::waves
