#include "server/terminal/priority.hpp"

#include <charconv>

namespace plimsoll::terminal {

Result<int> parse_priority(std::string_view text) {
    for (const auto& [word, priority] : kPriorities) {
        if (text == word) return priority;
    }
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < -10 || number > 10) {
        return fail(Errc::invalid_input,
                    "must be low, normal, high or highest, or a number from -10 to 10");
    }
    return number;
}

}  // namespace plimsoll::terminal
