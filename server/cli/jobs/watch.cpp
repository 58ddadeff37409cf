#include "server/cli/commands.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/follow_job.hpp"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {

void add_watch(CLI::App& app, CommandContext& context) {
    const auto job = std::make_shared<std::string>();
    auto* command = app.add_subcommand("watch", "Follow a job to its end");
    command->add_option("job", *job, "ID of the job")->required();
    command->callback([&context, job] { context.exit_code = follow_job(context, *job); });
}

}  // namespace plimsoll::cli
