#include "server/cli/commands.hpp"
#include "server/client/session.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/members.hpp"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

int cancel(const CommandContext& context, const std::string& job_id) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    auto job = api->post_json("/v1/jobs/" + job_id + "/cancellation", nullptr);
    if (!job) return refuse(context, job.error());
    context.terminal.line(context.json ? job->dump(2)
                                       : job_id + " " + terminal::text_of(*job, "state"));
    return 0;
}

}  // namespace

void add_cancel(CLI::App& app, CommandContext& context) {
    const auto job = std::make_shared<std::string>();
    auto* command = app.add_subcommand("cancel", "Cancel a job");
    command->add_option("job", *job, "ID of the job")->required();
    command->callback([&context, job] { context.exit_code = cancel(context, *job); });
}

}  // namespace plimsoll::cli
