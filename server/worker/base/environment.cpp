#include "server/worker/base/environment.hpp"

#include <charconv>
#include <cstdlib>

namespace plimsoll::worker {

std::optional<std::string> text_of(const char* variable) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
}

Result<std::optional<int>> number_of(const char* variable, int least, int most) {
    const auto text = text_of(variable);
    if (!text) return std::nullopt;
    int number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error != std::errc{} || end != text->data() + text->size() || number < least ||
        number > most) {
        return fail(Errc::invalid_input,
                    "It must be a whole number from " + std::to_string(least) + " to " +
                        std::to_string(most) + ", not \"" + *text + "\".",
                    variable);
    }
    return number;
}

}  // namespace plimsoll::worker
