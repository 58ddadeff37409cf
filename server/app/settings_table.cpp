#include "server/app/settings_table.hpp"

#include <charconv>

namespace plimsoll::app {

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string set_number(int& target, const std::string& text, int least, int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
        return "must be a whole number from " + std::to_string(least) + " to " +
               std::to_string(most);
    }
    target = value;
    return {};
}

std::string set_flag(bool& target, const std::string& text) {
    if (text == "true" || text == "1" || text == "yes") {
        target = true;
    } else if (text == "false" || text == "0" || text == "no") {
        target = false;
    } else {
        return "must be true or false";
    }
    return {};
}

}  // namespace plimsoll::app
