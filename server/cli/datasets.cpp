#include "server/cli/rest_commands.hpp"
#include "server/client/upload.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace plimsoll::client {
namespace {

using nlohmann::json;

constexpr int kPreviewRecords = 5;
constexpr std::size_t kPreviewColumns = 6;

std::string count_of(const json& dataset, const char* member) {
    return format_count(dataset.value(member, std::int64_t{0}));
}

void print_facts(const Terminal& terminal, const json& dataset) {
    terminal.line(dataset.value("id", "") + " " + dataset.value("state", "") + ": " +
                  count_of(dataset, "records") + " records, " +
                  count_of(dataset, "records_failed") + " of them unreadable");
}

int print(const Session& session, const json& dataset) {
    if (session.json) {
        session.terminal.line(dataset.dump(2));
    } else {
        print_facts(session.terminal, dataset);
    }
    return 0;
}

std::string preview_table(const Terminal& terminal, const json& preview) {
    std::vector<std::vector<std::string>> rows(1);
    const auto& columns = preview.at("columns");
    const auto shown = std::min(columns.size(), kPreviewColumns);
    for (std::size_t i = 0; i < shown; ++i) rows[0].push_back(columns[i]);
    for (const auto& item : preview.at("items")) {
        auto& row = rows.emplace_back(shown, "");
        if (!item.at("values").is_array()) {
            if (shown > 0) row[0] = item.value("error", "");
            continue;
        }
        for (std::size_t i = 0; i < shown; ++i) {
            const auto& value = item["values"].at(i);
            auto text = value.is_string() ? value.get<std::string>() : "";
            for (char& c : text) {
                if (static_cast<unsigned char>(c) < ' ') c = ' ';  // keeps a record on its line
            }
            row[i] = std::move(text);
        }
    }
    return format_table(terminal, rows);
}

}  // namespace

int list_datasets(const Session& session) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto page = api->get_json("/v1/datasets?limit=200");
    if (!page) return report_error(session, page.error());
    if (session.json) {
        session.terminal.line(page->dump(2));
        return 0;
    }
    std::vector<std::vector<std::string>> rows = {
        {"DATASET", "STATE", "RECORDS", "UNREADABLE", "BYTES", "CREATED", "NAME"}};
    for (const auto& dataset : page->at("items")) {
        rows.push_back({dataset.value("id", ""), dataset.value("state", ""),
                        count_of(dataset, "records"), count_of(dataset, "records_failed"),
                        count_of(dataset, "bytes_total"), dataset.value("created_at", ""),
                        dataset.value("name", "")});
    }
    session.terminal.line(rows.size() > 1 ? format_table(session.terminal, rows)
                                          : "No datasets yet: plimsoll datasets upload FILE");
    return 0;
}

int upload_dataset(const Session& session, const DatasetOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto dataset = upload_file(*api, session.terminal, options.file, options.name, options.resume);
    if (!dataset) return report_error(session, dataset.error());
    return print(session, *dataset);
}

int show_dataset(const Session& session, const DatasetOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    const auto path = "/v1/datasets/" + options.id;
    auto dataset = api->get_json(path);
    if (!dataset) return report_error(session, dataset.error());
    if (session.json) return print(session, *dataset);
    auto preview = api->get_json(path + "/records?limit=" + std::to_string(kPreviewRecords));
    if (!preview) return report_error(session, preview.error());
    print_facts(session.terminal, *dataset);
    if (dataset->at("error").is_string()) {
        session.terminal.line(dataset->at("error").get<std::string>());
    }
    if (!preview->at("items").empty()) {
        session.terminal.line(preview_table(session.terminal, *preview));
    }
    return 0;
}

int show_dataset_errors(const Session& session, const DatasetOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto done =
        api->stream("/v1/datasets/" + options.id + "/errors?format=" + options.format,
                    {{"accept", "*/*"}}, [](std::string_view piece) {
                        return std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size();
                    });
    return done ? 0 : report_error(session, done.error());
}

int delete_dataset(const Session& session, const DatasetOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto done = api->send("DELETE", "/v1/datasets/" + options.id);
    if (!done) return report_error(session, done.error());
    session.terminal.note("Deleted " + options.id);
    return 0;
}

}  // namespace plimsoll::client
