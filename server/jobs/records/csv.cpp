#include "server/jobs/records/csv.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs {
namespace {

void append_cell(std::string& out, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        out.append(text);
        return;
    }
    out.push_back('"');
    for (const char c : text) {
        if (c == '"') out.push_back('"');
        out.push_back(c);
    }
    out.push_back('"');
}

// What spreadsheets take for a formula; some read the full-width forms of the signs like the signs.
bool starts_formula(std::string_view text) {
    constexpr std::string_view kSigns = "=+-@\t\r\n";
    constexpr std::array<std::string_view, 4> kFullWidth = {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    if (text.empty()) return false;
    return kSigns.find(text.front()) != kSigns.npos ||
           std::ranges::any_of(kFullWidth, [&](auto sign) { return text.starts_with(sign); });
}

void append_text(std::string& out, const std::string& text) {
    append_cell(out, starts_formula(text) ? "'" + text : text);
}

}  // namespace

void append_csv_header(std::string& out, std::span<const Column> columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i != 0) out.push_back(',');
        append_cell(out, columns[i].name);
    }
    out.append("\r\n");
}

void append_csv_row(std::string& out, std::span<const Column> columns, const nlohmann::json& row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i != 0) out.push_back(',');
        const auto member = row.find(columns[i].name);
        if (member == row.end() || member->is_null()) continue;
        if (member->is_string()) {
            append_text(out, member->get_ref<const std::string&>());
        } else {
            append_cell(out, member->dump());
        }
    }
    out.append("\r\n");
}

}  // namespace plimsoll::jobs
