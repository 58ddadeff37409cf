#include "engine/waves/series/series.hpp"

#include "engine/waves/series/timestamps.hpp"

#include <algorithm>
#include <array>
#include <charconv>

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

void drop_leading_bars(std::size_t count, Series& series) {
    const auto drop = [count](auto& column) {
        const auto gone = std::min(count, column.size());
        column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(gone));
    };
    drop(series.time);
    drop(series.open);
    drop(series.high);
    drop(series.low);
    drop(series.close);
}

std::optional<std::int32_t> bar_named(const Series& series, std::string_view name) {
    std::int32_t bar = 0;
    const char* end = name.data() + name.size();
    const auto [behind, error] = std::from_chars(name.data(), end, bar);
    if (behind == end && error == std::errc()) return bar;
    const auto time = read_timestamp(name, series.zone);
    if (!time) return {};
    // A date is the midnight of the zone among times of day, else midnight UTC, as files of dates
    // have it.
    const bool is_date = name.find(':') == name.npos;
    const auto there = is_date ? series.zone.shown(time->seconds).instant.seconds : time->seconds;
    const auto again = time->again.value_or(time->seconds);
    const auto here = series.has_times_of_day() ? std::array{there, time->seconds, again}
                                                : std::array{time->seconds, again, there};
    for (const std::int64_t seconds : here) {
        const auto it = std::ranges::lower_bound(series.time, seconds);
        if (it != series.time.end() && *it == seconds)
            return static_cast<std::int32_t>(it - series.time.begin());
    }
    return {};
}

}  // namespace plimsoll::waves
