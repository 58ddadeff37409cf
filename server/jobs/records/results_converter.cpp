#include "server/jobs/records/results_converter.hpp"

#include "server/base/json_writer.hpp"
#include "server/jobs/records/json_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs {
namespace {

constexpr std::string_view kKept = "kept";

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

// The beginnings of formulas in spreadsheets; some also accept the full-width forms of the signs.
bool starts_formula(std::string_view text) {
    constexpr std::string_view kSigns = "=+-@\t\r\n";
    constexpr std::array<std::string_view, 4> kFullWidth = {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    if (text.empty()) return false;
    return kSigns.find(text.front()) != kSigns.npos ||
           std::ranges::any_of(kFullWidth, [&](auto sign) { return text.starts_with(sign); });
}

// Where spreadsheets separate by semicolons, what follows one is a cell of its own. ";-)" is none.
bool starts_formula_of_next_cell(std::string_view text) {
    if (!text.starts_with('-')) return starts_formula(text) && !text.starts_with('\n');
    return text.size() > 1 && (text[1] == '(' || std::isalnum(static_cast<unsigned char>(text[1])));
}

void append_text(std::string& out, const std::string& text) {
    auto cell = starts_formula(text) ? "'" + text : text;
    for (auto at = cell.find(';'); at != cell.npos; at = cell.find(';', at + 1))
        if (starts_formula_of_next_cell(std::string_view(cell).substr(at + 1)))
            cell.insert(at + 1, "'");
    append_cell(out, cell);
}

void append_json(std::string_view rows, bool first, std::string& out) {
    if (rows.empty()) return;
    if (!first) out += ',';
    const auto begin = static_cast<std::ptrdiff_t>(out.size());
    out.append(rows.substr(0, rows.size() - 1));
    // Inside a row a line break is escaped.
    std::replace(out.begin() + begin, out.end(), '\n', ',');
}

}  // namespace

void append_csv_header(std::string& out, std::span<const Column> columns,
                       std::span<const std::string> kept) {
    const auto start = out.size();
    const auto add = [&](std::string_view name) {
        if (out.size() != start) out.push_back(',');
        append_text(out, std::string(name));
    };
    for (const auto& column : columns) {
        if (column.name != kKept) add(column.name);
        if (column.name == kKept) std::ranges::for_each(kept, add);
    }
    out.append("\r\n");
}

void append_csv_row(std::string& out, std::span<const Column> columns,
                    std::span<const std::string> kept, const nlohmann::json& row) {
    bool first = true;
    const auto add = [&](const nlohmann::json* value) {
        if (!std::exchange(first, false)) out.push_back(',');
        if (value == nullptr || value->is_null()) return;
        if (value->is_string())
            append_text(out, value->get_ref<const std::string&>());
        else
            append_cell(out, value->dump());
    };
    using Value = const nlohmann::json*;
    const auto member = [](Value object, std::string_view name) -> Value {
        if (object == nullptr || !object->is_object()) return nullptr;
        const auto found = object->find(name);
        return found == object->end() ? nullptr : &*found;
    };
    for (const auto& column : columns) {
        Value value = member(&row, column.name);
        if (column.name != kKept)
            add(value);
        else
            for (const auto& name : kept) add(member(value, name));
    }
    out.append("\r\n");
}

std::string rows_without_input(std::span<const Column> columns, std::int64_t first_item,
                               std::int64_t items, std::string_view reason) {
    const auto error = std::string(reason) + " Its input has been deleted.";
    std::string rows;
    for (auto item = first_item; item < first_item + items; ++item) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const auto name = columns[i].name;
            rows += i == 0 ? '{' : ',';
            append_json_string(rows, name);
            rows += ':';
            if (name == "index")
                append_decimal(rows, item, 0);
            else if (name == "error_code")
                rows += "\"input_deleted\"";
            else if (name == "error")
                append_json_string(rows, error);
            else
                rows += "null";
        }
        rows += "}\n";
    }
    return rows;
}

nlohmann::json failed_row(std::span<const Column> columns, std::string_view reason) {
    auto row = nlohmann::json::object();
    for (const auto& column : columns) row[std::string(column.name)] = nullptr;
    row["error_code"] = "quarantined";
    row["error"] = reason;
    return row;
}

void ResultsConverter::begin(std::string& out) const {
    if (format_ == ResultsFormat::json) out += '[';
    if (format_ == ResultsFormat::csv) append_csv_header(out, columns_, kept_);
}

Result<void> ResultsConverter::rows(std::string_view rows, bool first, std::string& out) const {
    if (format_ == ResultsFormat::jsonl) out.append(rows);
    if (format_ == ResultsFormat::json) append_json(rows, first, out);
    if (format_ != ResultsFormat::csv) return {};
    while (!rows.empty()) {
        const auto end = rows.find('\n');
        const auto row = nlohmann::json::parse(rows.substr(0, end), nullptr, false);
        if (!row.is_object()) return fail(Errc::corrupt, "A stored result row is corrupt.");
        append_csv_row(out, columns_, kept_, row);
        rows.remove_prefix(std::min(end, rows.size() - 1) + 1);
    }
    return {};
}

void ResultsConverter::end(std::string& out) const {
    if (format_ == ResultsFormat::json) out += ']';
}

}  // namespace plimsoll::jobs
