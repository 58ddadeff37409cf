#include "server/jobs/records/csv.hpp"

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

void append_text(std::string& out, const std::string& text) {
    constexpr std::string_view kFormulaStarts = "=+-@\t\r";
    const bool formula =
        !text.empty() && kFormulaStarts.find(text.front()) != std::string_view::npos;
    append_cell(out, formula ? "'" + text : text);
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
