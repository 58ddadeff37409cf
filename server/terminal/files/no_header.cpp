#include "server/terminal/files/no_header.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace plimsoll::terminal {

bool without_header(const std::vector<std::string>& columns) {
    return std::ranges::any_of(columns, [](const std::string& column) {
        const auto place = column.find("=#");
        if (place == std::string::npos || place + 2 == column.size()) return false;
        return std::all_of(column.begin() + static_cast<std::ptrdiff_t>(place) + 2, column.end(),
                           [](unsigned char c) { return std::isdigit(c) != 0; });
    });
}

std::string header_for(std::string_view first_line) {
    constexpr std::array kSeparators = {',', ';', '\t'};
    std::array<std::size_t, kSeparators.size()> counts{};
    bool quoted = false;
    for (const char c : first_line) {
        if (c == '"') quoted = !quoted;
        if (c == '\n' && !quoted) break;
        const auto* const found = std::ranges::find(kSeparators, c);
        if (!quoted && found != kSeparators.end())
            ++counts[static_cast<std::size_t>(found - kSeparators.begin())];
    }
    const auto most = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
    std::string header;
    for (std::size_t column = 1; column <= counts[most] + 1; ++column) {
        if (column > 1) header += kSeparators[most];
        header += "#" + std::to_string(column);
    }
    return header + "\n";
}

}  // namespace plimsoll::terminal
