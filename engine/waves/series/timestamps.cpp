#include "engine/waves/series/timestamps.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace plimsoll::waves {
namespace {

// Reads digits off the front: between `min` and `max` of them.
std::optional<int> digits(std::string_view& text, std::size_t min, std::size_t max) {
    std::size_t count = 0;
    int value = 0;
    while (count < max && count < text.size() && text[count] >= '0' && text[count] <= '9')
        value = value * 10 + (text[count++] - '0');
    if (count < min) return {};
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
        TRY(const auto instant, otherwise.at(local));
        return Timestamp{instant, std::nullopt};
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
    TRY(const auto named, Zone::named(text.empty() ? place : text));
    TRY(const auto instant, named.at(local));
    if (text.empty() || place.empty()) return Timestamp{instant, named};
    TRY(const auto there, Zone::named(place));
    if (there.offset(instant.seconds) != named.offset(instant.seconds))
        return fail(Errc::invalid_input, "The offset of " + std::string(place) +
                                             " at this time is not " + std::string(text) + ".");
    return Timestamp{instant, there};
}

std::optional<std::int64_t> from_number(std::string_view text) {
    std::int64_t value = 0;
    const auto* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc()) return {};
    // Fractions of seconds, of times that are no years or days of a spreadsheet.
    constexpr std::int64_t kLeast = 100'000'000;
    if (end != last &&
        (value < kLeast || *end != '.' ||
         std::string_view(end + 1, last).find_first_not_of("0123456789") != std::string_view::npos))
        return {};
    // Seconds reach the year 5138 with 11 digits; more are milliseconds, micro- or nanoseconds.
    constexpr std::int64_t kMaxSeconds = 100'000'000'000;
    while (value > kMaxSeconds || value < -kMaxSeconds) value /= 1000;
    return value;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// Of digits, or of letters and what else is above ASCII; with a full stop behind letters.
std::string_view word_of(std::string_view& rest) {
    const bool digits = !rest.empty() && is_digit(rest.front());
    const auto belongs = [&](char c) {
        return digits ? is_digit(c) : (lower(c) >= 'a' && lower(c) <= 'z') || (c & 0x80) != 0;
    };
    const auto end = std::ranges::find_if_not(rest, belongs);
    const auto word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(word.size());
    return word;
}

// English, German, French, Spanish and Italian, by what begins their names.
int month_named(std::string_view name) {
    constexpr std::array<std::string_view, 12> kBeginnings = {"jan ene gen",
                                                              "feb f\xC3\xA9v fev",
                                                              "mar m\xC3\xA4r mrz",
                                                              "apr avr abr",
                                                              "may mai mag",
                                                              "jun jui giu",
                                                              "jul juil lug",
                                                              "aug ao\xC3\xBB ago",
                                                              "sep set",
                                                              "oct okt ott",
                                                              "nov",
                                                              "dec dez d\xC3\xA9"
                                                              "c dic"};
    std::string low(name);
    std::ranges::transform(low, low.begin(), lower);
    int best = 0;
    std::size_t length = 2;
    for (int month = 0; month < 12; ++month) {
        auto words = kBeginnings[static_cast<std::size_t>(month)];
        while (!words.empty()) {
            const auto word = words.substr(0, words.find(' '));
            words.remove_prefix(std::min(word.size() + 1, words.size()));
            if (word.size() <= length || !low.starts_with(word)) continue;
            best = month + 1;
            length = word.size();
        }
    }
    return best;
}

int number(std::string_view digits) {
    int value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

struct Parts {
    int year = 0, first = 0, second = 0;  // month 0: `first` and `second` are in the file's order
    int month = 0;
    bool dotted = false;
    int seconds = -1;  // of the day, if a spreadsheet's number says so
    std::string_view time;
};

int whole_year(std::string_view digits) {
    constexpr int kPivot = 70;
    const int year = number(digits);
    return digits.size() > 2 ? year : year + (year < kPivot ? 2000 : 1900);
}

// One of these letters, of three bytes each, and blanks behind it.
bool skip_one_of(std::string_view& rest, std::string_view letters) {
    constexpr std::size_t kBytes = 3;
    if (rest.size() < kBytes) return false;
    const auto found = letters.find(rest.substr(0, kBytes));
    if (found == std::string_view::npos || found % kBytes != 0) return false;
    rest.remove_prefix(kBytes);
    rest = trimmed(rest);
    return true;
}

// What stands between day, month and year.
bool skip_separator(std::string_view& rest) {
    const auto before = rest.size();
    while (!rest.empty() && std::string_view("./- ,").find(rest.front()) != std::string_view::npos)
        rest.remove_prefix(1);
    return rest.size() < before || skip_one_of(rest, "年月년월");
}

// Days since the end of 1899, as spreadsheets count; 20000 is in 1954, 80000 in 2119.
std::optional<Parts> of_spreadsheet(std::string_view text) {
    double days = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), days);
    // "nan" is a number to from_chars, and neither less nor more.
    const bool usual = days >= 20'000 && days < 80'000;
    if (error != std::errc() || end != text.data() + text.size() || !usual) return {};
    const auto whole = static_cast<int>(days);
    const std::chrono::year_month_day date{
        std::chrono::sys_days(std::chrono::year(1899) / 12 / 30) + std::chrono::days(whole)};
    Parts p;
    p.year = static_cast<int>(date.year());
    p.month = static_cast<int>(static_cast<unsigned>(date.month()));
    p.first = static_cast<int>(static_cast<unsigned>(date.day()));
    if (days > whole) p.seconds = static_cast<int>(std::lround((days - whole) * 86'400)) % 86'400;
    return p;
}

// "Fri Mar 22 2024", in English and German.
bool is_weekday(std::string_view word) {
    constexpr std::string_view kBeginnings = "mon tue wed thu fri sat sun die mit don fre sam son";
    std::string low(word.substr(0, 3));
    std::ranges::transform(low, low.begin(), lower);
    return low.size() == 3 && kBeginnings.find(low) % 4 == 0;
}

// The first day of "Mar-24", "March 2024", "2024-03" or "03/2024"; 1.2024 is a number.
std::optional<Parts> month_of(std::string_view first, char between, std::string_view second) {
    if (is_digit(first.front()) && first.size() == 4) std::swap(first, second);
    if (!is_digit(second.front())) return {};
    const bool named = !is_digit(first.front());
    const bool year = second.size() == 4 || (named && second.size() == 2);
    Parts p;
    if (named)
        p.month = month_named(first);
    else if (first.size() <= 2 && (between == '-' || between == '/'))
        p.month = number(first);
    if (!year || p.month < 1 || p.month > 12) return {};
    p.year = whole_year(second);
    p.first = 1;
    return p;
}

std::optional<Parts> parts_of(std::string_view text) {
    auto rest = trimmed(text);
    if (const auto p = of_spreadsheet(rest)) return p;
    auto first = word_of(rest);
    if (is_weekday(first) && skip_separator(rest)) first = word_of(rest);
    Parts p;
    if (first.size() == 8 && is_digit(first.front())) {  // 20240322
        p.year = number(first.substr(0, 4));
        p.month = number(first.substr(4, 2));
        p.first = number(first.substr(6));
        p.time = trimmed(rest);
        return p.year >= 1800 && p.month >= 1 && p.month <= 12 ? std::optional(p) : std::nullopt;
    }
    const char between = rest.empty() ? ' ' : rest.front();
    p.dotted = between == '.';
    if (first.empty() || !skip_separator(rest)) return {};
    const auto second = word_of(rest);
    if (!second.empty() && rest.empty()) return month_of(first, between, second);
    if (second.empty() || !skip_separator(rest)) return {};
    const auto third = word_of(rest);
    skip_one_of(rest, "日일");
    if (third.empty() || !is_digit(third.front()) || third.size() > 4) return {};
    if (is_digit(first.front()) && first.size() == 4) {
        p.year = number(first);
        p.month = is_digit(second.front()) ? number(second) : month_named(second);
        p.first = number(third);
        if (p.month == 0) return {};
    } else if (third.size() == 2 || third.size() == 4) {
        p.year = whole_year(third);
        const bool named = !is_digit(second.front());
        if (named || !is_digit(first.front())) {
            p.month = month_named(named ? second : first);
            p.first = number(named ? first : second);
            if (p.month == 0 || p.first == 0) return {};
        } else if (first.size() <= 2 && second.size() <= 2) {
            p.first = number(first);
            p.second = number(second);
        } else {
            return {};
        }
    } else {
        return {};
    }
    p.time = trimmed(rest.starts_with('T') || rest.starts_with(',') ? rest.substr(1) : rest);
    return p;
}

std::int64_t ordinal(const Parts& p, DayOrder order) {
    const bool by_month = p.month == 0 && order == DayOrder::month_first;
    const int month = p.month > 0 ? p.month : by_month ? p.first : p.second;
    const int day = p.month > 0 || !by_month ? p.first : p.second;
    return (p.year * 100LL + month) * 100 + day;
}

// "2:30 PM", "14:30:00", "143000" and "14:30 UTC" as ISO 8601 has them.
std::string time_in_iso(std::string_view time) {
    if (time.empty()) return {};
    auto rest = time;
    auto hour = word_of(rest);
    if (hour.empty() || !is_digit(hour.front())) return std::string(time);
    if (hour.size() == 6 || hour.size() == 4) {  // 143000, 1430
        const std::string seconds(hour.size() == 6 ? ":" + std::string(hour.substr(4)) : "");
        return std::string(hour.substr(0, 2)) + ":" + std::string(hour.substr(2, 2)) + seconds +
               std::string(rest);
    }
    std::string tail(rest);
    int clock = number(hour);
    std::string low(tail);
    std::ranges::transform(low, low.begin(), lower);
    for (const std::string_view half : {" am", " pm", "am", "pm"}) {
        const auto at = low.find(half);  // a zone may follow
        if (at == std::string::npos ||
            (at + half.size() < low.size() && low[at + half.size()] != ' '))
            continue;
        tail.erase(at, half.size());
        clock = clock % 12 + (half[half.size() - 2] == 'p' ? 12 : 0);
        break;
    }
    return (clock < 10 ? "0" : "") + std::to_string(clock) + tail;
}

bool moves_one_way(const std::vector<Parts>& dates, DayOrder order) {
    bool rises = true, falls = true;
    for (std::size_t i = 1; i < dates.size(); ++i) {
        rises = rises && ordinal(dates[i - 1], order) <= ordinal(dates[i], order);
        falls = falls && ordinal(dates[i - 1], order) >= ordinal(dates[i], order);
    }
    return rises || falls;
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

std::optional<DayOrder> day_order_of(std::span<const std::string_view> dates) {
    std::vector<Parts> open;
    for (const auto text : dates) {
        const auto p = parts_of(text);
        if (!p || p->month > 0) continue;
        if (p->dotted || p->first > 12) return DayOrder::day_first;
        if (p->second > 12) return DayOrder::month_first;
        open.push_back(*p);
    }
    const bool days = moves_one_way(open, DayOrder::day_first);
    const bool months = moves_one_way(open, DayOrder::month_first);
    if (open.empty() || (days && !months)) return DayOrder::day_first;
    if (months && !days) return DayOrder::month_first;
    return {};
}

std::string in_iso(std::string_view date, std::string_view time, DayOrder order) {
    const auto p = parts_of(date);
    if (!p) return std::string(date);
    const auto value = ordinal(*p, order);
    const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    auto out = std::to_string(p->year) + "-" + two(value / 100 % 100) + "-" + two(value % 100);
    if (p->seconds >= 0)
        return out + " " + two(p->seconds / 3600) + ":" + two(p->seconds / 60 % 60) + ":" +
               two(p->seconds % 60);
    const auto clock = time_in_iso(p->time.empty() ? trimmed(time) : p->time);
    return clock.empty() ? out : out + " " + clock;
}

}  // namespace plimsoll::waves
