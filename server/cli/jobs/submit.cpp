#include "server/cli/jobs/known_kind.hpp"
#include "server/cli/resource.hpp"
#include "server/jobs/command.hpp"
#include "server/jobs/registry.hpp"
#include "server/terminal/assignment.hpp"
#include "server/terminal/field_flags.hpp"
#include "server/terminal/files/job_file.hpp"
#include "server/terminal/files/records_file.hpp"
#include "server/terminal/files/yaml_json.hpp"
#include "server/terminal/flag_values.hpp"
#include "server/terminal/follow_job.hpp"
#include "server/terminal/wait_reason.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace plimsoll::cli {
namespace {

struct SubmitOptions {
    std::string kind;
    std::string file;  // .jsonl, .csv, or .json for complete arguments; - for standard input
    std::string name;
    std::vector<std::string> labels;    // key=value
    std::string config;                 // file of "args", which the others override
    std::vector<std::string> settings;  // member=value of "args"
    std::vector<std::string> columns;   // member=column of the file
    std::vector<std::string> keep;      // columns
    std::string group_by;               // column; empty: none
    std::map<std::string_view, std::vector<std::string>> lists;  // by the kind whose flag it is
    std::string idempotency_key;
    std::string priority = "normal";
    std::string run_at;  // RFC 3339, as the deadline
    std::string deadline;
    std::optional<double> timeout_seconds;
    std::string unique_key;
    bool watch = false;
};

// The list flag of the job's kind; that of another kind is refused.
void add_lists(const SubmitOptions& options, json& args) {
    for (const auto& kind : jobs::commands()) {
        const auto given = options.lists.find(kind.kind);
        if (given == options.lists.end() || given->second.empty()) continue;
        if (kind.kind != options.kind) {
            throw Refused(Errc::invalid_input, std::string(kind.list.flag) + " is for " +
                                                   std::string(kind.kind) + " jobs only.");
        }
        args[kind.list.member] = need(kind.list.read(given->second));
    }
}

json build_request(client::ApiClient& api, const SubmitOptions& options,
                   const terminal::Terminal& terminal) {
    json args = json::object();
    const auto* kind = jobs::find_command(options.kind);
    const bool takes_items = kind == nullptr || kind->read_file == nullptr;
    if (takes_items && options.file.empty() && options.config.empty() && options.settings.empty()) {
        throw Refused(Errc::invalid_input, "Name a file: plimsoll submit " + options.kind +
                                               " FILE. --config and --set give arguments without a "
                                               "file.");
    }
    if (!options.file.empty()) {
        const auto read_file = takes_items ? terminal::read_input_file : kind->read_file;
        args = need(args_of_file(api, terminal, options.file, options.columns, read_file));
    } else if (!options.columns.empty()) {
        args["columns"] = need(terminal::column_args(options.columns));
    }
    if (!options.config.empty()) {
        auto config = need(terminal::read_yaml(options.config));
        if (!config.is_object())
            throw Refused(Errc::invalid_input, "The file has no arguments (key: value).",
                          options.config);
        config.update(args);
        args = std::move(config);
    }
    need(terminal::assign_all(args, options.settings));
    add_lists(options, args);
    auto labels = labels_of(options.labels);
    json request{{"kind", options.kind}, {"args", std::move(args)}};
    if (!options.name.empty()) request["name"] = options.name;
    if (!labels.empty()) request["labels"] = std::move(labels);
    request["priority"] = terminal::parse_priority(options.priority).value_or(0);
    if (!options.run_at.empty()) request["run_at"] = options.run_at;
    if (!options.deadline.empty()) request["deadline"] = options.deadline;
    if (options.timeout_seconds) request["timeout_seconds"] = *options.timeout_seconds;
    if (!options.unique_key.empty()) request["unique"] = {{"key", options.unique_key}};
    return request;
}

// Of a job whose arguments are all in one file, their places are the file's.
std::string source_of_arguments(const SubmitOptions& options) {
    const bool whole = options.file.ends_with(".json");
    if (!options.settings.empty() || (whole && !options.config.empty())) return {};
    return whole ? options.file : options.config;
}

constexpr terminal::FieldFlag kFieldFlags[] = {
    {"/args/columns/keep", "--keep"},
    {"/args/columns/group", "--group-by"},
    {"/args/columns/", "--column "},
    {"/args/columns", "--column"},
    {"/args/", "--set "},
    {"/args", "arguments"},
    {"/labels", "--label"},
    {"/run_at", "--run-at"},
    {"/deadline", "--deadline"},
    {"/timeout_seconds", "--timeout"},
    {"/unique", "--unique"},
    {"/name", "--name"},
    {"/kind", "kind"},
};

int submit(const CommandContext& context, const SubmitOptions& options) {
    need(check_kind(options.kind));
    auto api = need(client::signed_in());
    auto request = build_request(api, options, context.terminal);
    client::Headers headers;
    if (!options.idempotency_key.empty()) headers["idempotency-key"] = options.idempotency_key;
    const auto source = source_of_arguments(options);
    const auto place = source + ": ";
    std::vector<terminal::FieldFlag> flags(std::begin(kFieldFlags), std::end(kFieldFlags));
    if (!source.empty()) flags.insert(flags.begin(), {"/args/", place});
    auto job = need(api.post_json("/v1/jobs", request, headers), flags);
    const auto id = job.value("id", "");
    if (!options.watch) {
        context.terminal.line(context.json ? job.dump(2) : id);
        terminal::WaitReason(context, id).look(job.value("state", ""));
        return 0;
    }
    context.terminal.note("Submitted " + id);
    const int code = follow_job(context, id);
    if (context.json) return code;
    // A job whose items all failed has a report, too: it says why.
    const auto report = api.get_json("/v1/jobs/" + id + "/report");
    const bool has_none = !report && report.error().code == Errc::not_found;
    if (code == 0 || !has_none) show_report(context, need(report));
    return code;
}

}  // namespace

json labels_of(const std::vector<std::string>& given) {
    auto labels = json::object();
    for (const auto& label : given) {
        const auto equals = label.find('=');
        if (equals == std::string::npos)
            throw Refused(Errc::invalid_input, "--label must be key=value, not \"" + label + "\".");
        const auto key = label.substr(0, equals);
        if (labels.contains(key))
            throw Refused(Errc::invalid_input, "--label gives " + key + " twice.");
        labels[key] = label.substr(equals + 1);
    }
    return labels;
}

void add_submit(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<SubmitOptions>();
    auto* command = app.add_subcommand("submit", "Submit a job");
    command
        ->add_option("kind", options->kind,
                     "Job kind, for example " + std::string(jobs::contracts().front().name))
        ->required();
    command->add_option("file", options->file,
                        "Items as .jsonl or .csv, or all arguments as .json; large files are "
                        "uploaded first; - reads JSON lines from standard input");
    command->add_option("--name", options->name, "Name of the job");
    command->add_option("--label", options->labels, "Label as key=value; repeatable");
    command
        ->add_option("--config", options->config,
                     "Arguments as YAML or JSON; the file of items and --set override them")
        ->check(CLI::ExistingFile);
    command->add_option("--set", options->settings,
                        "Set an argument: member=value or outer.inner=value; repeatable");
    terminal::add_column_flag(*command, options->columns);
    for (const auto& kind : jobs::commands()) {
        if (kind.list.flag == nullptr) continue;
        command->add_option(kind.list.flag, options->lists[kind.kind], kind.list.help)
            ->delimiter(',');
    }
    command
        ->add_option("--keep", options->keep,
                     "Return these columns of the file with each result, for example region,date")
        ->delimiter(',');
    command->add_option("--group-by", options->group_by,
                        "Group the report by this column of the file, for example region");
    command->add_option(
        "--idempotency-key", options->idempotency_key,
        "Idempotency key: submitting again with the same key creates no second job");
    command
        ->add_option(
            "--priority", options->priority,
            "Priority among the team's jobs: low, normal (default), high, highest, or -10 to 10")
        ->check([](const std::string& text) {
            const auto priority = terminal::parse_priority(text);
            return priority ? std::string() : priority.error().message;
        });
    command->add_option("--run-at", options->run_at,
                        "Start no earlier than this time, for example 2026-03-01T12:00:00Z");
    command->add_option("--deadline", options->deadline, "Fail if not finished by this time");
    command
        ->add_option("--timeout", options->timeout_seconds,
                     "Fail after running for this many seconds")
        ->check([](const std::string& text) {
            const bool positive = std::strtod(text.c_str(), nullptr) > 0;
            return positive ? std::string() : "must be a number of seconds above 0";
        });
    command->add_option("--unique", options->unique_key,
                        "Refuse the job while another with this key is unfinished");
    command->add_flag("--watch", options->watch, "Follow the job to its end and show its report");
    command->callback([&context, options] {
        auto& columns = options->columns;
        for (const auto& column : options->keep) columns.push_back("keep=" + column);
        if (!options->group_by.empty()) columns.push_back("group=" + options->group_by);
        context.exit_code = submit(context, *options);
    });
}

}  // namespace plimsoll::cli
