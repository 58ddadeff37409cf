#include "server/terminal/files/job_file.hpp"

#include "engine/base/format_number.hpp"
#include "engine/base/json.hpp"
#include "server/terminal/assignment.hpp"
#include "server/terminal/files/records_file.hpp"

#include <utility>

namespace plimsoll::terminal {

namespace {

// The job names the dataset and its columns.
Result<json> dataset_args(client::ApiClient& api, const Terminal& terminal, const std::string& file,
                          const std::vector<std::string>& columns) {
    TRY(auto dataset, upload_with_bar(terminal, api, {file, {}, {}}));
    terminal.note("Uploaded as " + dataset.value("id", "") + ": " +
                  format_count(dataset.value("records", std::int64_t{0})) + " records, " +
                  format_count(dataset.value("records_failed", std::int64_t{0})) + " unreadable");
    json args{{"dataset", dataset.at("id")}};
    if (!columns.empty()) {
        TRY(auto chosen, column_args(columns));
        args["columns"] = std::move(chosen);
    }
    return args;
}

}  // namespace

Result<json> args_of_file(client::ApiClient& api, const Terminal& terminal, const std::string& file,
                          const std::vector<std::string>& columns, ReadFile read_file) {
    TRY(auto read, read_file(file, columns));
    if (!read.understood.empty()) terminal.note(read.understood);
    for (const auto& remark : read.left_out) terminal.note(remark);
    if (read.too_long) return dataset_args(api, terminal, file, columns);
    return std::move(read.args);
}

Result<JobInput> read_arguments_file(const std::string& file,
                                     const std::vector<std::string>& columns) {
    if (!columns.empty())
        return fail(
            Errc::invalid_input,
            "--column, --keep and --group-by have no effect: this kind does not accept records.");
    if (!file.ends_with(".json")) {
        return fail(
            Errc::invalid_input,
            "This kind does not accept a file of records: give its arguments as .json, with "
            "--config or with --set.",
            file);
    }
    return read_input_file(file, columns);
}

Result<nlohmann::json> upload_with_bar(const Terminal& terminal, client::ApiClient& api,
                                       const client::UploadRequest& request) {
    TRY_DO(check_records_file(request.file));
    ProgressBar bar(terminal, "upload");
    std::string unfinished;  // the dataset that lacks bytes
    auto dataset = client::upload_file(
        api, request, [&](const std::string& id, std::int64_t received, std::int64_t total) {
            unfinished = received < total ? id : "";
            bar.show(received, total);
        });
    bar.finish();
    const bool refused = !dataset && dataset.error().code == Errc::invalid_input;
    if (!dataset && !refused && !unfinished.empty()) {
        terminal.note("Continue with: plimsoll datasets upload " + request.file + " --resume " +
                      unfinished);
    }
    return dataset;
}

}  // namespace plimsoll::terminal
