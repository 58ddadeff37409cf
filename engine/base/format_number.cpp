#include "engine/base/format_number.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>

namespace plimsoll {

std::string format_count(std::int64_t count) {
    std::string digits = std::to_string(count);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (count < 0 ? 1 : 0);
         at -= 3) {
        digits.insert(static_cast<std::size_t>(at), ",");
    }
    return digits;
}

std::string format_figure(double value) {
    if (std::abs(value) >= 99.95 && std::abs(value) < 1e18)
        return format_count(std::llround(value));
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

}  // namespace plimsoll
