#include "server/cli/commands.hpp"
#include "server/client/job_id.hpp"
#include "server/terminal/command_context.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using nlohmann::json;

struct RedriveOptions {
    std::vector<std::string> jobs;  // none: all that failed, of `kind` and with `label`
    bool all_failed = false;
    std::string kind;
    std::string label;
};

json first_request(const RedriveOptions& options) {
    if (!options.jobs.empty()) return {{"job_ids", options.jobs}};
    json filter = json::object();
    if (!options.kind.empty()) filter["kind"] = options.kind;
    if (!options.label.empty()) filter["label"] = options.label;
    return {{"filter", std::move(filter)}};
}

int redrive(const CommandContext& context, RedriveOptions options) {
    auto api = need(client::signed_in());
    for (auto& job : options.jobs) need(client::complete_job_id(api, job));
    json total = {{"redriven", 0}, {"refused", json::array()}};
    for (auto request = first_request(options);;) {
        auto answer = need(api.post_json("/v1/redrives", request));
        total["redriven"] = total["redriven"].get<int>() + answer.at("redriven").get<int>();
        for (const auto& refusal : answer.at("refused")) total["refused"].push_back(refusal);
        const auto& next = answer.at("next_cursor");
        if (next.is_null()) break;
        request["filter"]["cursor"] = next;
    }
    if (context.json) {
        context.terminal.line(total.dump(2));
    } else {
        context.terminal.line(std::to_string(total["redriven"].get<int>()) + " redriven");
        for (const auto& refusal : total["refused"]) {
            context.terminal.note(refusal.value("job_id", "") + ": " + refusal.value("detail", ""));
        }
    }
    return total["refused"].empty() ? 0 : 1;
}

}  // namespace

void add_redrive(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<RedriveOptions>();
    auto* command =
        app.add_subcommand("redrive", "Run the unfinished tasks of failed or cancelled jobs again");
    auto* ids = command->add_option("job", options->jobs, "IDs of the jobs");
    auto* all =
        command->add_flag("--all-failed", options->all_failed, "All failed jobs of the team")
            ->excludes(ids);
    command->add_option("--kind", options->kind, "With --all-failed: only this kind")->needs(all);
    command
        ->add_option("--label", options->label,
                     "With --all-failed: only with this label: key or key=value")
        ->needs(all);
    command->callback([&context, options] {
        if (options->jobs.empty() && !options->all_failed) {
            throw CLI::RequiredError("job IDs, or --all-failed");
        }
        context.exit_code = redrive(context, *options);
    });
}

}  // namespace plimsoll::cli
