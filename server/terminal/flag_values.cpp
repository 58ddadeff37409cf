#include "server/terminal/flag_values.hpp"

#include "server/base/time.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

namespace plimsoll::terminal {
namespace {

std::optional<Timestamp> moment_of(const std::string& text) {
    if (const auto time = parse_rfc3339(text)) return time;
    constexpr int kMaxDigits = 6;
    const bool counts = text.size() > 1 && text.size() <= kMaxDigits + 1 &&
                        std::ranges::all_of(text.substr(0, text.size() - 1),
                                            [](unsigned char c) { return std::isdigit(c) != 0; });
    const auto units = std::map<char, std::chrono::minutes>{
        {'m', std::chrono::minutes(1)}, {'h', std::chrono::hours(1)}, {'d', std::chrono::days(1)}};
    const auto unit = units.find(text.back());
    if (!counts || unit == units.end()) return std::nullopt;
    return SystemClock().now() - std::stoi(text) * unit->second;
}

}  // namespace

Result<void> read_moments(std::initializer_list<std::pair<const char*, std::string*>> flags) {
    for (const auto& [flag, text] : flags) {
        if (text->empty()) continue;
        const auto moment = moment_of(*text);
        if (!moment) {
            return fail(Errc::invalid_input, std::string(flag) + ": \"" + *text +
                                                 "\" is neither a time such as "
                                                 "2026-03-01T12:00:00Z nor an age such as 90m, "
                                                 "24h or 7d.");
        }
        *text = to_rfc3339(*moment);
    }
    return {};
}

Result<int> parse_priority(std::string_view text) {
    for (const auto& [word, priority] : kPriorities)
        if (text == word) return priority;
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < -10 || number > 10) {
        return fail(Errc::invalid_input,
                    "must be low, normal, high or highest, or a number from -10 to 10");
    }
    return number;
}

}  // namespace plimsoll::terminal
