#include "server/jobs/records/results_converter.hpp"

#include "server/jobs/records/csv.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs {
namespace {

void append_json(std::string_view rows, bool first, std::string& out) {
    if (rows.empty()) return;
    if (!first) out += ',';
    const auto begin = static_cast<std::ptrdiff_t>(out.size());
    out.append(rows.substr(0, rows.size() - 1));
    // Inside a row a line break is escaped.
    std::replace(out.begin() + begin, out.end(), '\n', ',');
}

}  // namespace

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
