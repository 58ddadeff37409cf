#include "server/base/time.hpp"

#include <regex>
#include <tuple>

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
    std::string text = "0000-00-00T00:00:00.000Z";
    const auto put = [&text](std::size_t end, long number) {
        for (; number > 0; number /= 10) text[--end] = static_cast<char>('0' + number % 10);
    };
    put(4, static_cast<int>(date.year()));
    put(7, static_cast<unsigned>(date.month()));
    put(10, static_cast<unsigned>(date.day()));
    put(13, milliseconds_of_day / 3'600'000);
    put(16, milliseconds_of_day / 60'000 % 60);
    put(19, milliseconds_of_day / 1000 % 60);
    put(23, milliseconds_of_day % 1000);
    return text;
}

std::optional<Timestamp> parse_rfc3339(const std::string& text) {
    static const std::regex kForm(
        R"((\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:[Zz]|([+-])(\d\d):(\d\d)))");
    constexpr std::size_t kLongest = 32;
    std::smatch part;
    if (text.size() > kLongest || !std::regex_match(text, part, kForm)) return std::nullopt;
    const auto number = [&part](std::size_t i) { return std::stoi(part[i]); };
    const std::chrono::year_month_day date(std::chrono::year(number(1)),
                                           std::chrono::month(static_cast<unsigned>(number(2))),
                                           std::chrono::day(static_cast<unsigned>(number(3))));
    const auto [hour, minute, second] = std::tuple(number(4), number(5), number(6));
    if (!date.ok() || number(1) < 1970 || hour > 23 || minute > 59 || second > 60)
        return std::nullopt;
    Timestamp time = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                     std::chrono::minutes(minute) + std::chrono::seconds(second);
    if (part[7].matched)
        time += std::chrono::microseconds(std::stoi((part[7].str() + "00000").substr(0, 6)));
    if (part[8].matched) {
        const auto offset = std::chrono::hours(number(9)) + std::chrono::minutes(number(10));
        time += part[8] == "-" ? offset : -offset;
    }
    return time;
}

}  // namespace plimsoll
