#include "server/terminal/moment.hpp"

#include "server/base/time.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

namespace plimsoll::terminal {
namespace {

std::optional<Timestamp> moment_of(const std::string& text) {
    if (const auto time = parse_rfc3339(text)) return time;
    constexpr int kMostDigits = 6;
    const bool counts = text.size() > 1 && text.size() <= kMostDigits + 1 &&
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

}  // namespace plimsoll::terminal
