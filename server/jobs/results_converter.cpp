#include "server/jobs/results_converter.hpp"

#include "server/jobs/csv.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs {

void ResultsConverter::begin(std::string& out) {
    if (begun_) return;
    begun_ = true;
    if (format_ == ResultsFormat::json) out.push_back('[');
    if (format_ == ResultsFormat::csv) append_csv_header(out, columns_);
}

Result<void> ResultsConverter::feed(std::string_view rows, std::string& out) {
    begin(out);
    if (format_ == ResultsFormat::jsonl) {
        out.append(rows);
        return {};
    }
    while (!rows.empty()) {
        const std::size_t end = rows.find('\n');
        if (end == std::string_view::npos) {
            partial_line_.append(rows);
            return {};
        }
        std::string_view row = rows.substr(0, end);
        if (!partial_line_.empty()) {
            partial_line_.append(row);
            row = partial_line_;
        }
        if (auto written = line(row, out); !written) return written;
        partial_line_.clear();
        rows.remove_prefix(end + 1);
    }
    return {};
}

Result<void> ResultsConverter::line(std::string_view row, std::string& out) {
    if (format_ == ResultsFormat::json) {
        if (any_row_) out.push_back(',');
        out.append(row);
        any_row_ = true;
        return {};
    }
    const auto parsed = nlohmann::json::parse(row, nullptr, false);
    if (!parsed.is_object()) return fail(Errc::corrupt, "A stored result row is damaged.");
    append_csv_row(out, columns_, parsed);
    return {};
}

Result<void> ResultsConverter::finish(std::string& out) {
    begin(out);
    if (!partial_line_.empty()) {
        if (auto written = line(partial_line_, out); !written) return written;
    }
    if (format_ == ResultsFormat::json) out.push_back(']');
    return {};
}

}  // namespace plimsoll::jobs
