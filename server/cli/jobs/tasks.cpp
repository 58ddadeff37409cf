#include "server/cli/commands.hpp"
#include "server/client/job_id.hpp"
#include "server/client/query.hpp"
#include "server/client/session.hpp"
#include "server/client/whole_list.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/list.hpp"
#include "server/terminal/members.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using nlohmann::json;
using terminal::text_of;

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

}  // namespace plimsoll::cli
