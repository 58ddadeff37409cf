#include "server/base/text_table.hpp"

#include <algorithm>
#include <numeric>

namespace plimsoll {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kGap = 2;
// Columns with wrapped cells are at least this wide, so that text stays readable.
constexpr std::size_t kNarrowest = 12;
// Columns are omitted before cells are cut to fewer columns than this.
constexpr std::size_t kShortest = 20;

std::string padded(const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, text_columns(text)), ' ');
}

std::size_t longest_word(std::string_view text) {
    std::size_t longest = 0;
    while (!text.empty()) {
        const auto end = std::min(text.size(), text.find(' '));
        longest = std::max(longest, text_columns(text.substr(0, end)));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return longest;
}

std::size_t total(const std::vector<std::size_t>& widths) {
    return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

// The widths at which the table fits; empty where it cannot.
std::vector<std::size_t> fitted(const std::vector<Row>& rows, std::size_t width) {
    std::vector<std::size_t> widths, min;
    for (const Row& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        min.resize(widths.size());
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], text_columns(row[i]));
            min[i] = std::max(min[i], longest_word(row[i]));
        }
    }
    if (width == 0) return widths;
    for (std::size_t i = 0; i < widths.size(); ++i)
        min[i] = std::min(widths[i], std::max(min[i], kNarrowest));
    if (!widths.empty() && total(min) > width) return {};
    while (!widths.empty() && total(widths) > width) {
        std::size_t widest = widths.size();
        for (std::size_t i = 0; i < widths.size(); ++i) {
            if (widths[i] == min[i]) continue;
            if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
        }
        --widths[widest];
    }
    return widths;
}

std::vector<std::size_t> natural(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], text_columns(row[i]));
    return widths;
}

std::string cut(const std::string& text, std::size_t width) {
    if (text_columns(text) <= width) return text;
    std::size_t end = 0;
    for (std::size_t columns = 0; columns + 1 < width; ++columns) do
            ++end;
        while ((text[end] & 0xC0) == 0x80);
    return text.substr(0, end) + "…";
}

std::vector<std::string> columns_of(const Row& row, const std::vector<std::size_t>& widths) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
        cells.push_back(wrapped(row[i], widths[i]));
        height = std::max(height, cells.back().size());
    }
    std::vector<std::string> lines(height);
    for (std::size_t at = 0; at < height; ++at) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string piece = at < cells[i].size() ? cells[i][at] : "";
            lines[at] += i + 1 < cells.size() ? padded(piece, widths[i] + kGap) : piece;
        }
        lines[at].resize(lines[at].find_last_not_of(' ') + 1);
    }
    return lines;
}

std::vector<std::string> list_of(const Row& header, const Row& row, std::size_t width) {
    std::size_t names = 0;
    for (const auto& name : header) names = std::max(names, text_columns(name));
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i].empty()) continue;
        std::string name = i < header.size() ? header[i] : "";
        const std::size_t room = width > names + kGap ? width - names - kGap : 1;
        for (const auto& piece : wrapped(row[i], room)) {
            lines.push_back(padded(name, names + kGap) + piece);
            name.clear();
        }
    }
    lines.emplace_back();
    return lines;
}

}  // namespace

std::size_t text_columns(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    if (width == 0 || text_columns(text) <= width) {
        lines.front() = text;
        return lines;
    }
    while (!text.empty()) {
        const auto end = std::min(text.size(), text.find(' '));
        const auto word = text.substr(0, end);
        if (!lines.back().empty() && text_columns(lines.back()) + 1 + text_columns(word) > width)
            lines.emplace_back();
        if (!lines.back().empty()) lines.back() += ' ';
        lines.back() += word;
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return lines;
}

std::vector<std::vector<std::string>> table_lines(const std::vector<Row>& rows, std::size_t width) {
    std::vector<std::vector<std::string>> out;
    const auto widths = fitted(rows, width);
    if (widths.empty() && !rows.empty()) {
        out.emplace_back();
        for (std::size_t r = 1; r < rows.size(); ++r)
            out.push_back(list_of(rows.front(), rows[r], width));
        if (out.size() > 1) out.back().pop_back();  // no blank line behind the last
        return out;
    }
    for (const Row& row : rows) out.push_back(columns_of(row, widths));
    return out;
}

std::vector<Row> one_line_rows(std::vector<Row> rows, std::size_t width,
                               const std::vector<std::string>& expendable) {
    auto widths = natural(rows);
    for (const auto& name : expendable) {
        auto min = widths;
        for (auto& each : min) each = std::min(each, kShortest);
        const auto at = std::ranges::find(rows.front(), name) - rows.front().begin();
        if (total(min) <= width) break;
        if (at == std::ssize(widths)) continue;
        for (auto& row : rows) row.erase(row.begin() + at);
        widths.erase(widths.begin() + at);
    }
    while (total(widths) > width && std::ranges::max(widths) > kNarrowest)
        --*std::ranges::max_element(widths);
    for (auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = cut(row[i], widths[i]);
    return rows;
}

std::string table_text(const std::vector<Row>& rows, std::size_t width) {
    std::string text;
    for (const auto& row : table_lines(rows, width))
        for (const auto& line : row) text += line + "\n";
    return text;
}

}  // namespace plimsoll
