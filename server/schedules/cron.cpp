#include "server/schedules/cron.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

namespace plimsoll::schedules {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sun", "mon", "tue", "wed",
                                                       "thu", "fri", "sat"};
constexpr std::array<std::array<std::string_view, 2>, 7> kAliases = {{{"@hourly", "0 * * * *"},
                                                                      {"@daily", "0 0 * * *"},
                                                                      {"@midnight", "0 0 * * *"},
                                                                      {"@weekly", "0 0 * * 0"},
                                                                      {"@monthly", "0 0 1 * *"},
                                                                      {"@yearly", "0 0 1 1 *"},
                                                                      {"@annually", "0 0 1 1 *"}}};
constexpr std::size_t kMaxCharacters = 200;

struct Field {
    std::string_view name;
    int low, high;
    std::span<const std::string_view> names = {};  // of low, low + 1, …
};

constexpr Field kMinuteField{"minute", 0, 59};
constexpr Field kHourField{"hour", 0, 23};
constexpr Field kDayField{"day of the month", 1, 31};
constexpr Field kMonthField{"month", 1, 12, kMonths};
constexpr Field kWeekdayField{"day of the week", 0, 7, kWeekdays};

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto at = text.find_first_of(separators);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

tl::unexpected<Error> refuse(const Field& field, std::string rule) {
    return fail(Errc::invalid_input, std::string(field.name) + ": " + std::move(rule));
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.front() == '-') return {};
    return value;
}

Result<int> value_of(const Field& field, std::string_view text) {
    const auto name = std::ranges::find(field.names, text);
    if (name != field.names.end()) return field.low + static_cast<int>(name - field.names.begin());
    const auto value = text.empty() ? std::nullopt : number(text);
    if (value && *value >= field.low && *value <= field.high) return *value;
    auto rule = quoted(text) + " is not between " + std::to_string(field.low) + " and " +
                std::to_string(field.high);
    if (!field.names.empty()) rule += ", nor a name such as " + quoted(field.names[1]);
    return refuse(field, rule);
}

struct Range {
    int first, last, step;
};

// "*", "5", "1-5", "*/15", "0-30/10", "5/10".
Result<Range> range_of(const Field& field, std::string_view text) {
    Range range{field.low, field.high, 1};
    const auto slash = text.find('/');
    const auto body = text.substr(0, slash);
    if (slash != std::string_view::npos) {
        const auto digits = text.substr(slash + 1);
        const auto step = digits.empty() ? std::nullopt : number(digits);
        if (!step || *step < 1) {
            return refuse(field,
                          "the step " + quoted(digits) + " must be a whole number of at least 1");
        }
        range.step = std::min(*step, field.high + 1);
    }
    if (body == "*") return range;
    const auto dash = body.find('-');
    TRY(const auto first, value_of(field, body.substr(0, dash)));
    range.first = first;
    if (dash == std::string_view::npos) {
        if (slash == std::string_view::npos) range.last = range.first;
        return range;
    }
    const auto end = body.substr(dash + 1);
    TRY(const auto last, value_of(field, end));
    range.last = field.high == 7 && end == "sun" ? 7 : last;  // "fri-sun"
    if (range.last < range.first)
        return refuse(field, "the range " + quoted(body) + " runs backwards");
    return range;
}

template <std::size_t N>
void set(std::bitset<N>& bits, const Range& range) {
    for (int i = range.first; i <= range.last; i += range.step)
        bits.set(static_cast<std::size_t>(i) % N);
}

template <std::size_t N>
Result<void> set(std::bitset<N>& bits, const Field& field, std::string_view text) {
    for (const auto part : split(text, ",")) {
        TRY(const auto range, range_of(field, part));
        set(bits, range);
    }
    return {};
}

}  // namespace

Result<Cron> Cron::parse(std::string_view given) {
    if (given.size() > kMaxCharacters) {
        return fail(Errc::invalid_input, "the expression is longer than " +
                                             std::to_string(kMaxCharacters) + " characters");
    }
    auto text = lower(given);
    if (text.starts_with('@')) {
        const auto alias =
            std::ranges::find(kAliases, text, [](const auto& pair) { return pair[0]; });
        if (alias == kAliases.end()) {
            return fail(
                Errc::invalid_input,
                quoted(given) +
                    " must be @hourly, @daily, @midnight, @weekly, @monthly, @yearly or @annually");
        }
        text = (*alias)[1];
    }
    auto fields = split(text, " \t");
    std::erase(fields, "");
    if (fields.size() != 5) {
        return fail(Errc::invalid_input,
                    "the expression needs five fields (minute, hour, day of the month, month, day "
                    "of the week), not " +
                        std::to_string(fields.size()));
    }
    Cron cron;
    cron.fixed_ = !fields[0].starts_with('*') && !fields[1].starts_with('*');
    cron.both_days_ = fields[2].starts_with('*') || fields[4].starts_with('*');
    TRY_DO(set(cron.minutes_, kMinuteField, fields[0]));
    TRY_DO(set(cron.hours_, kHourField, fields[1]));
    for (const auto part : split(fields[2], ","))
        if (part == "l")
            cron.last_day_ = true;
        else if (auto done = set(cron.days_, kDayField, part); !done)
            return fail(done.error());
    TRY_DO(set(cron.months_, kMonthField, fields[3]));
    for (const auto part : split(fields[4], ",")) {
        const auto hash = part.find('#');
        const bool last = part.size() > 1 && part.ends_with('l');
        if (hash == std::string_view::npos && !last) {
            TRY_DO(set(cron.weekdays_, kWeekdayField, part));
            continue;
        }
        TRY(const auto weekday,
            value_of(kWeekdayField, last ? part.substr(0, part.size() - 1) : part.substr(0, hash)));
        const auto index = static_cast<std::size_t>(weekday % 7);
        if (last) {
            cron.last_weekdays_.set(index);
            continue;
        }
        const auto digits = part.substr(hash + 1);
        if (digits.size() != 1 || digits[0] < '1' || digits[0] > '5') {
            return refuse(kWeekdayField,
                          "the number after # in " + quoted(part) + " must be from 1 to 5");
        }
        cron.nth_weekdays_[index].set(static_cast<std::size_t>(digits[0] - '0'));
    }
    return cron;
}

bool Cron::on(const Date& date) const {
    if (!in_month(date.month)) return false;
    const auto weekday = static_cast<std::size_t>(date.weekday);
    const bool day_of_month =
        days_[static_cast<std::size_t>(date.day)] || (last_day_ && date.day == date.days_in_month);
    const bool day_of_week = weekdays_[weekday] ||
                             nth_weekdays_[weekday][static_cast<std::size_t>((date.day + 6) / 7)] ||
                             (last_weekdays_[weekday] && date.day + 7 > date.days_in_month);
    return both_days_ ? day_of_month && day_of_week : day_of_month || day_of_week;
}

}  // namespace plimsoll::schedules
