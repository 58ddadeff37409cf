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

using terminal::text_of;

void explain(const CommandContext& context, std::string job_id) {
    auto api = need(client::signed_in(job_id));
    auto wait = need(api.get_json("/v1/jobs/" + job_id + "/wait-reason"));
    const auto until = text_of(wait, "until");
    const auto from = text_of(wait, "earliest_start_at");
    context.terminal.line(
        context.json ? wait.dump(2)
                     : text_of(wait, "detail") + (until.empty() ? "" : " Until " + until + ".") +
                           (from.empty() ? ""
                                         : " It will probably start between " + from + " and " +
                                               text_of(wait, "latest_start_at") + "."));
}

}  // namespace

void add_why(CLI::App& app, CommandContext& context) {
    const auto job = std::make_shared<std::string>();
    auto* command = app.add_subcommand("why", "Explain why a job is waiting");
    command->add_option("job", *job, "ID of the job")->required();
    command->callback([&context, job] { explain(context, *job); });
}

}  // namespace plimsoll::cli
