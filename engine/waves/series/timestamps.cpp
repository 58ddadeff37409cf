#include "engine/waves/series/timestamps.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>

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

// The suffix of a time of day: nothing, "Z", an offset, a zone, or an offset and the zone that it
// was taken from in brackets (RFC 9557).
Result<Timestamp> in_zone(std::int64_t local, std::string_view text, const Zone& otherwise) {
    if (text.empty()) {
        const auto instant = otherwise.at(local);
        if (!instant) return fail(instant.error());
        return Timestamp{*instant, std::nullopt};
    }
    skip(text, ' ');
    std::string_view place;
    if (!text.empty() && text.back() == ']') {
        const auto bracket = text.find('[');
        if (bracket != std::string_view::npos) {
            place = text.substr(bracket + 1, text.size() - bracket - 2);
            text = text.substr(0, bracket);
        }
    }
    const auto named = Zone::named(text.empty() ? place : text);
    if (!named) return fail(named.error());
    const auto instant = named->at(local);
    if (!instant) return fail(instant.error());
    if (text.empty() || place.empty()) return Timestamp{*instant, *named};
    const auto there = Zone::named(place);
    if (!there) return fail(there.error());
    if (there->offset(instant->seconds) != named->offset(instant->seconds))
        return fail(Errc::invalid_input, "The offset of " + std::string(place) +
                                             " at this time is not " + std::string(text) + ".");
    return Timestamp{*instant, *there};
}

std::optional<std::int64_t> from_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    // Seconds reach the year 5138 with 11 digits; more are milliseconds, micro- or nanoseconds.
    constexpr std::int64_t kMaxSeconds = 100'000'000'000;
    while (value > kMaxSeconds || value < -kMaxSeconds) value /= 1000;
    return value;
}

}  // namespace

Result<Timestamp> read_timestamp(std::string_view text, const Zone& otherwise) {
    const auto no_date = [] { return fail(Errc::invalid_input, "It is not an ISO 8601 date."); };
    std::string_view rest = text;
    const auto year = digits(rest, 4, 4);
    if (!year || !skip(rest, '-')) {
        const auto number = from_number(text);
        if (!number) return no_date();
        return Timestamp{{*number, {}}, std::nullopt};
    }
    const auto month = digits(rest, 1, 2);
    if (!month || !skip(rest, '-')) return no_date();
    const auto day = digits(rest, 1, 2);
    if (!day) return no_date();
    const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month),
                                           std::chrono::day(*day)};
    if (!date.ok()) return no_date();
    std::int64_t seconds =
        std::int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86400;
    // A date is a date in every zone.
    if (rest.empty()) return Timestamp{{seconds, {}}, std::nullopt};
    if (!skip(rest, 'T') && !skip(rest, ' ')) return no_date();
    const auto hour = digits(rest, 2, 2);
    if (!hour || !skip(rest, ':')) return no_date();
    const auto minute = digits(rest, 2, 2);
    if (!minute) return no_date();
    int second = 0;
    if (skip(rest, ':')) {
        const auto read = digits(rest, 2, 2);
        if (!read) return no_date();
        second = *read;
        if (skip(rest, '.')) {
            if (!digits(rest, 1, 9)) return no_date();
        }
    }
    if (*hour > 23 || *minute > 59 || second > 60) return no_date();
    return in_zone(seconds + *hour * 3600 + *minute * 60 + second, rest, otherwise);
}

std::string format_timestamp(std::int64_t seconds, const Zone& zone) {
    const std::int64_t offset = zone.offset(seconds);
    const std::chrono::sys_seconds time{std::chrono::seconds(seconds + offset)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const auto rest = (time - day).count();
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    std::string out(text.data());
    if (rest != 0) {
        std::snprintf(text.data(), text.size(), "T%02d:%02d:%02d", static_cast<int>(rest / 3600),
                      static_cast<int>(rest / 60 % 60), static_cast<int>(rest % 60));
        out += text.data();
        const std::int64_t minutes = std::abs(offset) / 60;
        std::snprintf(text.data(), text.size(), "%c%02d:%02d", offset < 0 ? '-' : '+',
                      static_cast<int>(minutes / 60), static_cast<int>(minutes % 60));
        out += offset == 0 ? "Z" : text.data();
    }
    return out;
}

}  // namespace plimsoll::waves
