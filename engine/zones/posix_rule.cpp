#include "engine/zones/posix_rule.hpp"

#include "engine/zones/digit.hpp"

#include <algorithm>
#include <chrono>

namespace plimsoll::zones {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kHour = 3'600;
constexpr std::int64_t kMinute = 60;
// After 400 years the calendar repeats, weekdays included.
constexpr std::int64_t kCycle = 146'097 * kDay;

bool letter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// Takes a TZ apart from its beginning. Each function consumes the element it is named after, or
// fails.
class Reader {
  public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool done() const { return rest_.empty(); }

    bool take(char c) {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }

    // "CET" or "<+03>".
    bool name() {
        const bool quoted = take('<');
        const auto end = std::ranges::find_if_not(rest_, [&](char c) {
            return letter(c) || (quoted && (is_digit(c) || c == '+' || c == '-'));
        });
        const auto length = static_cast<std::size_t>(end - rest_.begin());
        rest_.remove_prefix(length);
        return length >= 3 && (!quoted || take('>'));
    }

    std::optional<int> number(int low, int high) {
        int value = 0;
        std::size_t digits = 0;
        for (; digits < rest_.size() && is_digit(rest_[digits]); ++digits) {
            if (digits == 4) return {};
            value = value * 10 + (rest_[digits] - '0');
        }
        rest_.remove_prefix(digits);
        if (digits == 0 || value < low || value > high) return {};
        return value;
    }

    // [+-]hh[:mm[:ss]], in seconds.
    std::optional<std::int64_t> time(int most_hours) {
        const bool negative = take('-');
        if (!negative) take('+');
        const auto hours = number(0, most_hours);
        if (!hours) return {};
        std::optional<int> minutes = 0;
        std::optional<int> seconds = 0;
        if (take(':')) {
            minutes = number(0, 59);
            if (minutes && take(':')) seconds = number(0, 59);
        }
        if (!minutes || !seconds) return {};
        return (negative ? -1 : 1) * (*hours * kHour + *minutes * kMinute + *seconds);
    }

    // Seconds east of UTC: POSIX counts to the west.
    std::optional<std::int64_t> offset() {
        const auto west = time(24);
        return west ? std::optional(-*west) : std::nullopt;
    }

    std::optional<YearlyChange> change() {
        YearlyChange found;
        if (!day(found)) return {};
        if (take('/')) {
            const auto at = time(167);
            if (!at) return {};
            found.time = *at;
        }
        return found;
    }

  private:
    bool day(YearlyChange& found) {
        std::optional<int> day_number;
        if (take('J')) {
            found.kind = YearlyChange::Day::of_year_without_leap_day;
            day_number = number(1, 365);
        } else if (take('M')) {
            found.kind = YearlyChange::Day::of_month;
            const auto month = number(1, 12);
            if (!month || !take('.')) return false;
            const auto week = number(1, 5);
            if (!week || !take('.')) return false;
            found.month = *month;
            found.week = *week;
            day_number = number(0, 6);
        } else {
            found.kind = YearlyChange::Day::of_year;
            day_number = number(0, 365);
        }
        if (!day_number) return false;
        found.day = *day_number;
        return true;
    }

    std::string_view rest_;
};

}  // namespace

std::int64_t YearlyChange::in(int year) const {
    using namespace std::chrono;
    const std::chrono::year its_year(year);
    sys_days date;
    if (kind == Day::of_month) {
        const year_month_weekday nth{
            its_year, std::chrono::month(static_cast<unsigned>(month)),
            weekday(static_cast<unsigned>(this->day))[static_cast<unsigned>(std::min(week, 4))]};
        date = nth;
        // The last weekday of a month is the fourth or fifth.
        if (week == 5 && year_month_day(date + weeks(1)).month() == nth.month()) date += weeks(1);
    } else {
        date = sys_days(its_year / January / 1);
        if (kind == Day::of_year) {
            date += days(this->day);
        } else {
            date += days(this->day - 1 + (its_year.is_leap() && this->day >= 60 ? 1 : 0));
        }
    }
    return date.time_since_epoch().count() * kDay + time;
}

std::optional<PosixRule> PosixRule::parse(std::string_view text) {
    Reader reader(text);
    PosixRule rule;
    if (!reader.name()) return {};
    const auto standard = reader.offset();
    if (!standard) return {};
    rule.standard_ = *standard;
    if (reader.done()) return rule;

    Summer summer{.offset = *standard + kHour, .from = {}, .until = {}};
    if (!reader.name()) return {};
    if (!reader.take(',')) {
        const auto offset = reader.offset();
        if (!offset || !reader.take(',')) return {};
        summer.offset = *offset;
    }
    const auto from = reader.change();
    if (!from || !reader.take(',')) return {};
    const auto until = reader.change();
    if (!until || !reader.done()) return {};
    summer.from = *from;
    summer.until = *until;
    rule.summer_ = summer;
    return rule;
}

Period PosixRule::period(std::int64_t at) const {
    if (!summer_) return {.offset = standard_};
    // The same moment in the 400 years from 1970 on.
    auto cycles = at / kCycle;
    if (at % kCycle < 0) --cycles;
    const auto moment = at - cycles * kCycle;
    const std::chrono::sys_days today{std::chrono::days(moment / kDay)};
    const int year = static_cast<int>(std::chrono::year_month_day(today).year());

    struct Change {
        std::int64_t at = 0;
        std::size_t number = 0;
        std::int64_t offset = 0;
    };
    // A time of up to a week before or after its day moves a change into another year at most.
    std::array<Change, 10> changes;
    std::size_t number = 0;
    const auto add = [&](std::int64_t when, std::int64_t offset) {
        changes[number] = {when, number, offset};
        ++number;
    };
    for (int its_year = year - 2; its_year <= year + 2; ++its_year) {
        add(summer_->from.in(its_year)-standard_, summer_->offset);
        add(summer_->until.in(its_year)-summer_->offset, standard_);
    }
    // With summer time all year, one period ends when the next begins.
    std::ranges::sort(changes, {}, [](const Change& c) { return std::pair(c.at, c.number); });
    const auto after = std::ranges::upper_bound(changes, moment, {}, &Change::at);
    const auto& last = *(after - 1);
    return {last.at + cycles * kCycle, after->at + cycles * kCycle, last.offset};
}

}  // namespace plimsoll::zones
