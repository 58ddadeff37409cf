#include "server/cli/resource.hpp"
#include "server/terminal/files/job_file.hpp"

#include <cstdio>
#include <sstream>

namespace plimsoll::cli {
namespace {

struct DatasetOptions {
    std::string id;
    std::string file;
    std::string name;
    std::string resume;
    std::string format = "csv";
};

constexpr int kPreviewRecords = 5;
constexpr std::size_t kPreviewColumns = 6;

std::string count_of(const json& dataset, const char* member) {
    return format_count(dataset.value(member, std::int64_t{0}));
}

void print_facts(const terminal::Terminal& terminal, const json& dataset) {
    terminal.line(dataset.value("id", "") + " " + dataset.value("state", "") + ": " +
                  count_of(dataset, "records") +
                  (dataset.value("records", 0) == 1 ? " record, " : " records, ") +
                  count_of(dataset, "records_failed") + " unreadable");
}

void print_dataset(const CommandContext& context, const json& dataset) {
    if (context.json)
        context.terminal.line(dataset.dump(2));
    else
        print_facts(context.terminal, dataset);
}

std::string preview_table(const terminal::Terminal& terminal, const json& preview) {
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
            for (char& c : text)
                if (static_cast<unsigned char>(c) < ' ') c = ' ';  // keeps a record on its line
            row[i] = std::move(text);
        }
    }
    return format_table(terminal, rows);
}

void list_datasets(const CommandContext& context) {
    auto api = need(client::signed_in());
    const auto row_of = [](const json& dataset) -> std::vector<std::string> {
        return {dataset.value("id", ""),          dataset.value("state", ""),
                count_of(dataset, "records"),     count_of(dataset, "records_failed"),
                count_of(dataset, "bytes_total"), dataset.value("created_at", ""),
                dataset.value("name", "")};
    };
    show_list(context, api.get_json("/v1/datasets?limit=200"),
              {{"DATASET", "STATE", "RECORDS", "UNREADABLE", "BYTES", "CREATED", "NAME"}}, row_of,
              "No datasets yet: plimsoll datasets upload FILE");
}

int upload(const CommandContext& context, const DatasetOptions& options) {
    auto api = need(client::signed_in());
    auto dataset =
        need(upload_with_bar(context.terminal, api, {options.file, options.name, options.resume}));
    print_dataset(context, dataset);
    const auto failed = dataset.value("records_failed", std::int64_t{0});
    if (failed == 0) return 0;
    if (!context.json) {
        context.terminal.note("List the unreadable lines: plimsoll datasets errors " +
                              dataset.value("id", ""));
    }
    // Its unreadable lines may be known; a file of nothing else usually has another format.
    const bool none = failed == dataset.value("records", std::int64_t{0});
    return static_cast<int>(none ? terminal::ExitStatus::failed : terminal::ExitStatus::done);
}

void show_dataset(const CommandContext& context, const DatasetOptions& options) {
    auto api = need(client::signed_in());
    const auto path = "/v1/datasets/" + options.id;
    auto dataset = need(api.get_json(path));
    if (context.json) return print_dataset(context, dataset);
    const auto preview =
        need(api.get_json(path + "/records?limit=" + std::to_string(kPreviewRecords)));
    print_facts(context.terminal, dataset);
    if (dataset.at("error").is_string())
        context.terminal.line(dataset.at("error").get<std::string>());
    if (!preview.at("items").empty())
        context.terminal.line(preview_table(context.terminal, preview));
}

void show_errors(const CommandContext& context, const DatasetOptions& options) {
    auto api = need(client::signed_in());
    const auto format = context.json ? "jsonl" : options.format;
    std::string lines;  // with --json, to become one value
    need(api.stream("/v1/datasets/" + options.id + "/errors." + format, {},
                    [&](std::string_view piece) {
                        if (context.json) lines.append(piece);
                        return context.json ||
                               std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size();
                    }));
    if (!context.json) return;
    json items = json::array();
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) items.push_back(json::parse(line));
    context.terminal.line(json{{"items", std::move(items)}}.dump(2));
}

void remove_dataset(const CommandContext& context, const DatasetOptions& options) {
    remove_item(context, "/v1/datasets", options.id);
}

}  // namespace

void add_datasets(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<DatasetOptions>();
    auto* group = add_resource(app, "datasets", "Upload, list and delete the team's files");
    group->add_subcommand("list", "List the team's uploaded files, newest first")
        ->callback([&context] { list_datasets(context); });
    auto* upload_command = group->add_subcommand("upload", "Upload a .csv or .jsonl file");
    upload_command->add_option("file", options->file, "CSV with a header line, or JSON lines")
        ->required()
        ->check(CLI::ExistingFile);
    auto* name = upload_command->add_option("--name", options->name,
                                            "Name of the dataset (default: the file's)");
    upload_command->add_option("--resume", options->resume, "Resume the upload of this dataset")
        ->excludes(name);
    upload_command->callback(
        [&context, options] { context.exit_code = upload(context, *options); });
    const auto on_dataset = [&](const char* name, const char* help, auto run) {
        auto* command = group->add_subcommand(name, help);
        command->add_option("dataset", options->id, "ID of the dataset")->required();
        command->callback([&context, options, run] { run(context, *options); });
        return command;
    };
    on_dataset("show", "Show a dataset with its first records", show_dataset);
    on_dataset("errors", "Print the unreadable lines", show_errors)
        ->add_option("--format", options->format, "Output format: jsonl or csv")
        ->check(CLI::IsMember({"jsonl", "csv"}))
        ->capture_default_str();
    on_dataset("delete", "Delete a dataset and its texts", remove_dataset);
}

}  // namespace plimsoll::cli
