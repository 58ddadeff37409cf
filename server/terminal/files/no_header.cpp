#include "server/terminal/files/no_header.hpp"

#include "engine/text/csv_fields.hpp"

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

namespace {

constexpr std::size_t kLines = 10;

using Counts = std::array<std::size_t, text::kCsvDelimiters.size()>;

// Separators outside of quotes, of each of the first records.
std::vector<Counts> counts_of(std::string_view beginning) {
    std::vector<Counts> lines(1);
    bool quoted = false;
    bool empty = true;
    for (const char c : beginning) {
        if (c == '"') quoted = !quoted;
        if (c == '\n' && !quoted) {
            if (empty) lines.pop_back();
            if (lines.size() == kLines) return lines;
            lines.emplace_back();
            empty = true;
            continue;
        }
        empty = false;
        const auto found = text::kCsvDelimiters.find(c);
        if (!quoted && found != text::kCsvDelimiters.npos) ++lines.back()[found];
    }
    // The last one may be cut off.
    if (lines.size() > 1) lines.pop_back();
    return lines;
}

}  // namespace

std::string header_for(std::string_view beginning) {
    const auto lines = counts_of(beginning);
    // A text may have commas of its own, but not the same number in every record.
    std::size_t best = 0;
    std::size_t most = 0;
    for (std::size_t separator = 0; separator < text::kCsvDelimiters.size(); ++separator) {
        const auto least = std::ranges::min(
            lines, {}, [&](const Counts& counts) { return counts[separator]; })[separator];
        if (least <= most) continue;
        best = separator;
        most = least;
    }
    std::string header;
    for (std::size_t column = 1; column <= lines.front()[best] + 1; ++column) {
        if (column > 1) header += text::kCsvDelimiters[best];
        header += "#" + std::to_string(column);
    }
    return header + "\n";
}

}  // namespace plimsoll::terminal
