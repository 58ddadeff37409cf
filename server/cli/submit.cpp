#include "server/cli/rest_commands.hpp"
#include "server/client/upload.hpp"
#include "server/terminal/input_file.hpp"

#include <iostream>

#include <nlohmann/json.hpp>

namespace plimsoll::client {
namespace {

using nlohmann::json;

// "member=value": the value as JSON when it is JSON, else as text.
Result<void> assign(json& object, const std::string& setting) {
    const auto equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos) {
        return fail(Errc::invalid_input, "--set takes member=value, not \"" + setting + "\".");
    }
    const auto value = setting.substr(equals + 1);
    auto parsed = json::parse(value, nullptr, false);
    object[setting.substr(0, equals)] = parsed.is_discarded() ? json(value) : std::move(parsed);
    return {};
}

// A file that is too long for one request becomes a dataset; the job names it and its columns.
Result<json> dataset_args(ApiClient& api, const SubmitOptions& options, const Terminal& terminal) {
    auto dataset = upload_file(api, terminal, options.file, {});
    if (!dataset) return fail(dataset.error());
    terminal.note("Uploaded as " + dataset->value("id", "") + ": " +
                  format_count(dataset->value("records", std::int64_t{0})) + " records, " +
                  format_count(dataset->value("records_failed", std::int64_t{0})) +
                  " of them unreadable");
    json args{{"dataset", dataset->at("id")}};
    if (!options.columns.empty()) args["columns"] = column_args(options.columns);
    return args;
}

Result<json> build_request(ApiClient& api, const SubmitOptions& options, const Terminal& terminal) {
    json args = json::object();
    if (!options.file.empty()) {
        // Prices belong together: a row alone is no item.
        auto read = options.kind == "waves" ? read_price_file(options.file, options.columns)
                                            : read_input_file(options.file, options.columns);
        if (!read) return fail(read.error());
        for (const auto& remark : read->left_out) terminal.note(remark);
        args = std::move(read->args);
        if (read->too_long) {
            auto uploaded = dataset_args(api, options, terminal);
            if (!uploaded) return uploaded;
            args = std::move(*uploaded);
        }
    }
    for (const auto& setting : options.settings) {
        if (auto done = assign(args, setting); !done) return fail(done.error());
    }
    json labels = json::object();
    for (const auto& label : options.labels) {
        const auto equals = label.find('=');
        if (equals == std::string::npos) {
            return fail(Errc::invalid_input, "--label takes key=value, not \"" + label + "\".");
        }
        labels[label.substr(0, equals)] = label.substr(equals + 1);
    }
    json request{{"kind", options.kind}, {"args", std::move(args)}};
    if (!options.name.empty()) request["name"] = options.name;
    if (!labels.empty()) request["labels"] = std::move(labels);
    if (options.priority != 0) request["priority"] = options.priority;
    if (!options.run_at.empty()) request["run_at"] = options.run_at;
    if (!options.deadline.empty()) request["deadline"] = options.deadline;
    if (options.timeout_seconds > 0) request["timeout_seconds"] = options.timeout_seconds;
    if (!options.unique_key.empty()) request["unique"] = {{"key", options.unique_key}};
    return request;
}

}  // namespace

int submit(const Session& session, const SubmitOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto request = build_request(*api, options, session.terminal);
    if (!request) return report_error(session, request.error());
    Headers headers;
    if (!options.idempotency_key.empty()) headers["idempotency-key"] = options.idempotency_key;
    auto job = api->post_json("/v1/jobs", *request, headers);
    if (!job) return report_error(session, job.error());
    const auto id = job->value("id", "");
    if (!options.watch) {
        session.terminal.line(session.json ? job->dump(2) : id);
        return 0;
    }
    session.terminal.note("Submitted " + id);
    const int code = watch(session, id);
    return code == 0 && !session.json ? show_report(session, id) : code;
}

}  // namespace plimsoll::client
