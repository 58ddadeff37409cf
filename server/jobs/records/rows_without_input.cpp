#include "server/jobs/records/rows_without_input.hpp"

#include "server/base/json_writer.hpp"
#include "server/jobs/records/json_text.hpp"

namespace plimsoll::jobs {

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
            if (name == "index") {
                append_decimal(rows, item, 0);
            } else if (name == "error_code") {
                rows += "\"input_deleted\"";
            } else if (name == "error") {
                append_json_string(rows, error);
            } else {
                rows += "null";
            }
        }
        rows += "}\n";
    }
    return rows;
}

}  // namespace plimsoll::jobs
