#include "server/terminal/files/job_file.hpp"

#include "engine/base/format_number.hpp"
#include "server/terminal/assignment.hpp"
#include "server/terminal/files/upload_bar.hpp"

#include <utility>

namespace plimsoll::terminal {

using nlohmann::json;

namespace {

// The job names the dataset and its columns.
Result<json> dataset_args(client::ApiClient& api, const Terminal& terminal, const std::string& file,
                          const std::vector<std::string>& columns) {
    auto dataset = upload_with_bar(terminal, api, {file, {}, {}});
    if (!dataset) return fail(dataset.error());
    terminal.note("Uploaded as " + dataset->value("id", "") + ": " +
                  format_count(dataset->value("records", std::int64_t{0})) + " records, " +
                  format_count(dataset->value("records_failed", std::int64_t{0})) + " unreadable");
    json args{{"dataset", dataset->at("id")}};
    if (!columns.empty()) {
        auto chosen = column_args(columns);
        if (!chosen) return chosen;
        args["columns"] = std::move(*chosen);
    }
    return args;
}

}  // namespace

Result<json> args_of_file(client::ApiClient& api, const Terminal& terminal, const std::string& file,
                          const std::vector<std::string>& columns, ReadFile read_file) {
    auto read = read_file(file, columns);
    if (!read) return fail(read.error());
    if (!read->understood.empty()) terminal.note(read->understood);
    for (const auto& remark : read->left_out) terminal.note(remark);
    if (read->too_long) return dataset_args(api, terminal, file, columns);
    return std::move(read->args);
}

}  // namespace plimsoll::terminal
