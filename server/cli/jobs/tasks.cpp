#include "server/base/time.hpp"
#include "server/cli/resource.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_set>

namespace plimsoll::cli {
namespace {

using terminal::Style;

struct TasksOptions {
    std::string job;
    std::string state;
    std::string node;
    std::string device;
    std::string error;
    int attempt_from = 0;
};

std::vector<std::string> task_row(const json& task) {
    const auto device = text_of(task, "device");
    return {std::to_string(task.value("task", 0)),
            text_of(task, "state"),
            std::to_string(task.value("attempt", 0)),
            std::to_string(task.value("items", std::int64_t{0})),
            device.empty() ? "" : text_of(task, "node") + " " + device,
            text_of(task, "ended_at"),
            text_of(task, "error")};
}

void list_tasks(const CommandContext& context, TasksOptions options) {
    auto api = need(client::signed_in(options.job));
    const auto attempt = options.attempt_from == 0 ? "" : std::to_string(options.attempt_from);
    const auto target =
        client::with_query("/v1/jobs/" + options.job + "/tasks", {{"state", options.state},
                                                                  {"node", options.node},
                                                                  {"device", options.device},
                                                                  {"error", options.error},
                                                                  {"attempt_from", attempt}});
    return show_list(context, client::whole_list(api, target),
                     {{"TASK", "STATE", "ATTEMPT", "ITEMS", "DEVICE", "ENDED", "ERROR"}}, task_row,
                     "No task matches.");
}

struct LogsOptions {
    std::string job;
    std::string level;
    int task = -1;
    int attempt = 0;
    bool follow = false;
};

std::string target_of(const LogsOptions& options, const std::string& from) {
    return client::with_query(
        "/v1/jobs/" + options.job + "/logs",
        {{"task", options.task < 0 ? "" : std::to_string(options.task)},
         {"attempt", options.attempt == 0 ? "" : std::to_string(options.attempt)},
         {"level", options.level},
         {"from", from}});
}

std::string line_of(const CommandContext& context, const json& line) {
    const auto level = text_of(line, "level");
    const auto style = level == "info"      ? Style::dim
                       : level == "warning" ? Style::accent
                                            : Style::bad;
    const auto task =
        line.value("merge", false) ? "report" : "task " + std::to_string(line.value("task", 0));
    return context.terminal.paint(Style::dim, text_of(line, "at")) + " " +
           context.terminal.paint(style, level) + " " + task + " attempt " +
           std::to_string(line.value("attempt", 0)) + " " + text_of(line, "source") + ": " +
           text_of(line, "text");
}

void list_logs(const CommandContext& context, client::ApiClient& api, const LogsOptions& options) {
    const auto log = need(client::whole_list(api, target_of(options, "")));
    if (context.json) return context.terminal.line(log.dump(2));
    for (const auto& line : log.at("items")) context.terminal.line(line_of(context, line));
    if (log.at("items").empty()) context.terminal.note("No line matches.");
}

// Lines are stored some seconds after they were said, so each look begins before the latest line.
constexpr std::chrono::seconds kOverlap{30};

// Shows what is new until the job has ended; as JSON, a line each.
void follow_logs(const CommandContext& context, client::ApiClient& api,
                 const LogsOptions& options) {
    std::unordered_set<std::string> shown;
    std::string latest;
    std::string from;
    for (bool ended = false; !ended;) {
        // The job before its log: once it has ended, the log is complete.
        const auto job =
            need(api.get_json("/v1/jobs/" + options.job + (latest.empty() ? "" : "?wait=2")));
        ended = !job.at("finished_at").is_null();
        const auto log = need(client::whole_list(api, target_of(options, from)));
        for (const auto& line : log.at("items")) {
            latest = std::max(latest, text_of(line, "at"));
            if (!shown.insert(text_of(line, "id")).second) continue;
            context.terminal.line(context.json ? line.dump() : line_of(context, line));
        }
        // By the server's clock, which may differ from this machine's.
        if (const auto at = parse_rfc3339(latest)) from = to_rfc3339(*at - kOverlap);
    }
}

void show_logs(const CommandContext& context, LogsOptions options) {
    auto api = need(client::signed_in(options.job));
    options.follow ? follow_logs(context, api, options) : list_logs(context, api, options);
}

}  // namespace

void add_tasks(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<TasksOptions>();
    auto* command = app.add_subcommand("tasks", "List a job's tasks, each with its latest attempt");
    command->add_option("job", options->job, "ID of the job")->required();
    command->add_option("--state", options->state, "Only tasks in this state")
        ->check(CLI::IsMember({"waiting", "running", "done", "failed", "cancelled"}));
    command->add_option("--node", options->node,
                        "Only tasks whose latest attempt ran on this node");
    command->add_option("--device", options->device,
                        "Only tasks whose latest attempt ran on a device with this name, for "
                        "example opencl:pocl:0");
    command->add_option("--error", options->error, "Only tasks whose error contains this text");
    command
        ->add_option("--attempt-from", options->attempt_from,
                     "Only tasks whose latest attempt has this number or a higher one")
        ->check(CLI::Range(1, 1000));
    command->callback([&context, options] { list_tasks(context, *options); });
}

void add_logs(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<LogsOptions>();
    auto* command =
        app.add_subcommand("logs", "Show what workers and the queue say about a job's attempts");
    command->add_option("job", options->job, "ID of the job")->required();
    command->add_option("--task", options->task, "Only lines about this task, numbered from 0")
        ->check(CLI::Range(0, 2147483647));
    command->add_option("--attempt", options->attempt, "Only lines about attempts with this number")
        ->check(CLI::Range(1, 1000));
    command->add_option("--level", options->level, "Only lines of this level or a higher one")
        ->check(CLI::IsMember({"info", "warning", "error"}));
    command->add_flag("-f,--follow", options->follow, "Show new lines until the job has ended");
    command->callback([&context, options] { show_logs(context, *options); });
}

}  // namespace plimsoll::cli
