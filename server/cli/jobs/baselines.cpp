#include "server/cli/commands.hpp"
#include "server/client/job_id.hpp"
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

using terminal::text_of;

void list_baselines(const CommandContext& context) {
    const auto row_of = [](const nlohmann::json& baseline) -> std::vector<std::string> {
        const auto job = text_of(baseline, "job_id");
        return {text_of(baseline, "id"),
                text_of(baseline, "kind"),
                text_of(baseline, "comparison_key"),
                job.empty() ? "deleted, numbers kept" : job,
                text_of(baseline, "pinned_by"),
                text_of(baseline, "pinned_at")};
    };
    return show_list(context, client::whole_list("/v1/baselines"),
                     {{"BASELINE", "KIND", "COMPARED WITH", "JOB", "PINNED BY", "AT"}}, row_of,
                     "No baselines: plimsoll baselines pin JOB …");
}

void pin(const CommandContext& context, std::string job_id) {
    auto api = need(client::signed_in(job_id));
    const auto pinned = need(api.put_json("/v1/jobs/" + job_id + "/baseline", nullptr));
    context.terminal.line(context.json ? pinned.dump(2)
                                       : "Baseline of " + text_of(pinned, "comparison_key") + ".");
}

}  // namespace

void add_baselines(CLI::App& app, CommandContext& context) {
    const auto id = std::make_shared<std::string>();
    auto* group = app.add_subcommand("baselines", "List, pin and remove the team's baselines");
    group->require_subcommand(1);
    group->add_subcommand("list", "List the team's baselines")->callback([&context] {
        list_baselines(context);
    });
    auto* pin_command =
        group->add_subcommand("pin", "Pin a job's report as the baseline for comparable reports");
    pin_command->add_option("job", *id, "ID of the job")->required();
    pin_command->callback([&context, id] { pin(context, *id); });
    auto* remove_command = group->add_subcommand("remove", "Unpin a baseline");
    remove_command->add_option("baseline", *id, "ID of the baseline")->required();
    remove_command->callback([&context, id] { remove_item(context, "/v1/baselines", *id); });
}

}  // namespace plimsoll::cli
