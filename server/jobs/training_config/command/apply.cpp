#include "server/jobs/training_config/command/apply_report.hpp"
#include "server/jobs/training_config/command/commands.hpp"

#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::training_config {

void add_apply(CLI::App& app, CommandContext& context) {
    const auto request = std::make_shared<ApplyRequest>();
    auto* command = app.add_subcommand(
        "apply", "Put a report's settings into YAML files, in place, keeping FILE.backup");
    command->add_option("report", request->report,
                        "A report as JSON: of `report JOB --json` or `estimate --json`");
    command->add_option("files", request->files, "conf/*.yaml");
    command->add_option("--gpu", request->gpu,
                        "The card to follow; the report's first if left out");
    command->add_option("--stage", request->stage, "The stage to follow, by its name");
    command->add_flag("--dry-run", request->dry_run,
                      "Show what would change, as a diff, and change nothing");
    command->add_option("--restore", request->files, "Put the originals of these files back")
        ->excludes(command->get_option("report"))
        ->each([request](const std::string&) { request->restore = true; });
    command->callback([request, &context] {
        if (request->files.empty()) throw CLI::RequiredError("a report and files, or --restore");
        const auto told = apply_report(*request);
        if (!told) {
            context.exit_code = refuse_input(context, told.error());
            return;
        }
        print(*told);
    });
}

}  // namespace plimsoll::jobs::training_config
