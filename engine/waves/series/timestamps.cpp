#include "engine/waves/series/timestamps.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace plimsoll::waves {
namespace {

// Reads digits off the front: between `least` and `most` of them.
std::optional<int> digits(std::string_view& text, std::size_t least, std::size_t most) {
    std::size_t count = 0;
    int value = 0;
    while (count < most && count < text.size() && text[count] >= '0' && text[count] <= '9')
        value = value * 10 + (text[count++] - '0');
    if (count < least) return {};
    text.remove_prefix(count);
    return value;
}

bool skip(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

// "Z", "+02:00", "-0530", "+02" or nothing.
std::optional<int> zone(std::string_view text, int otherwise) {
    if (text.empty()) return otherwise;
    if (skip(text, 'Z')) return text.empty() ? std::optional(0) : std::nullopt;
    const bool west = text.front() == '-';
    if (!skip(text, '+') && !skip(text, '-')) return {};
    const auto hours = digits(text, 2, 2);
    if (!hours) return {};
    skip(text, ':');
    const auto minutes = text.empty() ? std::optional(0) : digits(text, 2, 2);
    if (!minutes || !text.empty() || *hours > 14 || *minutes > 59) return {};
    return (west ? -1 : 1) * (*hours * 60 + *minutes);
}

std::optional<std::int64_t> from_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    // Seconds reach the year 5138 with 11 digits; more are milliseconds.
    constexpr std::int64_t kMostSeconds = 100'000'000'000;
    return value > kMostSeconds || value < -kMostSeconds ? value / 1000 : value;
}

}  // namespace

std::optional<std::int64_t> parse_timestamp(std::string_view text, int zone_minutes) {
    std::string_view rest = text;
    const auto year = digits(rest, 4, 4);
    if (!year || !skip(rest, '-')) return from_number(text);
    const auto month = digits(rest, 1, 2);
    if (!month || !skip(rest, '-')) return {};
    const auto day = digits(rest, 1, 2);
    if (!day) return {};
    const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month),
                                           std::chrono::day(*day)};
    if (!date.ok()) return {};
    std::int64_t seconds =
        std::int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86400;
    if (rest.empty()) return seconds;  // a date is a date in every zone
    if (!skip(rest, 'T') && !skip(rest, ' ')) return {};
    const auto hour = digits(rest, 2, 2);
    if (!hour || !skip(rest, ':')) return {};
    const auto minute = digits(rest, 2, 2);
    if (!minute) return {};
    int second = 0;
    if (skip(rest, ':')) {
        const auto read = digits(rest, 2, 2);
        if (!read) return {};
        second = *read;
        if (skip(rest, '.')) {
            if (!digits(rest, 1, 9)) return {};
        }
    }
    if (*hour > 23 || *minute > 59 || second > 60) return {};
    const auto east = zone(rest, zone_minutes);
    if (!east) return {};
    return seconds + *hour * 3600 + *minute * 60 + second - *east * 60;
}

std::string format_timestamp(std::int64_t seconds) {
    const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const auto rest = (time - day).count();
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    std::string out(text.data());
    if (rest != 0) {
        std::snprintf(text.data(), text.size(), "T%02d:%02d:%02dZ", static_cast<int>(rest / 3600),
                      static_cast<int>(rest / 60 % 60), static_cast<int>(rest % 60));
        out += text.data();
    }
    return out;
}

}  // namespace plimsoll::waves
