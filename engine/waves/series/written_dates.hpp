#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::waves {

// How dates with two short numbers are written: 22.03.2024, 03/22/24.
enum class DayOrder { day_first, month_first };

// The order that the dates themselves show: by a day above 12, else by the one in which they only
// rise or only fall. None: both are possible. Dates that leave no choice are day first.
std::optional<DayOrder> day_order_of(std::span<const std::string_view> dates);

// The date as ISO 8601 for read_timestamp(): "22.03.2024 14:30", "22-Mar-2024", "Mar 22, 2024",
// "20240322", "2024/03/22 2:30 PM". `time` is that of another field. What is no such date is
// returned as it is.
std::string in_iso(std::string_view date, std::string_view time, DayOrder order);

}  // namespace plimsoll::waves
