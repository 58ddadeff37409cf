#include "server/cli/commands.hpp"
#include "server/client/job_id.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/members.hpp"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

void cancel(const CommandContext& context, std::string job_id) {
    auto api = need(client::signed_in(job_id));
    auto job = need(api.post_json("/v1/jobs/" + job_id + "/cancellation", nullptr));
    context.terminal.line(context.json ? job.dump(2)
                                       : job_id + " " + terminal::text_of(job, "state"));
}

}  // namespace

void add_cancel(CLI::App& app, CommandContext& context) {
    const auto job = std::make_shared<std::string>();
    auto* command = app.add_subcommand("cancel", "Cancel a job");
    command->add_option("job", *job, "ID of the job")->required();
    command->callback([&context, job] { cancel(context, *job); });
}

}  // namespace plimsoll::cli
