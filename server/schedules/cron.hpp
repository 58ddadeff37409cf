#pragma once

#include "engine/base/result.hpp"

#include <array>
#include <bitset>
#include <string_view>

namespace plimsoll::schedules {

// A calendar day.
struct Date {
    int year = 1970;
    int month = 1;    // 1 to 12
    int day = 1;      // 1 to 31
    int weekday = 4;  // 0 is Sunday
    int days_in_month = 31;
};

// A parsed cron expression: the minutes of the days on which it is due. Five fields (minute, hour,
// day of the month, month, day of the week), each a list of "*", numbers, ranges "1-5" and steps
// "*/15", "0-30/10", "5/10" (from 5 on). Months and weekdays have English names of three letters;
// Sunday is 0 and 7. Also "L" (last day of the month), "5L" (last Friday), "5#2" (second Friday),
// and @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually.
//
// As in Vixie's and Debian's cron, a day must match both the day-of-month and the day-of-week field
// if either begins with "*"; otherwise matching one of them is enough.
class Cron {
  public:
    // Errc::invalid_input names the field and its rule.
    static Result<Cron> parse(std::string_view text);

    bool on(const Date& date) const;
    bool in_month(int month) const { return months_[static_cast<std::size_t>(month)]; }
    const std::bitset<24>& hours() const { return hours_; }
    const std::bitset<60>& minutes() const { return minutes_; }
    // Neither the minute nor the hour field begins with "*": the times are wall-clock times, not
    // steps of an interval. This decides what happens at daylight-saving changes.
    bool fixed() const { return fixed_; }

  private:
    std::bitset<60> minutes_;
    std::bitset<24> hours_;
    std::bitset<32> days_;
    bool last_day_ = false;
    std::bitset<13> months_;
    std::bitset<7> weekdays_;
    std::array<std::bitset<6>, 7> nth_weekdays_;  // [weekday][1 to 5]
    std::bitset<7> last_weekdays_;
    bool both_days_ = false;
    bool fixed_ = false;
};

}  // namespace plimsoll::schedules
