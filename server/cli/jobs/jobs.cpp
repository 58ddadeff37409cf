#include "server/cli/commands.hpp"
#include "server/cli/jobs/known_kind.hpp"
#include "server/client/query.hpp"
#include "server/client/session.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/list.hpp"
#include "server/terminal/members.hpp"
#include "server/terminal/moment.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using terminal::text_of;

struct JobsOptions {
    std::string kind;
    std::string state;
    std::string label;
    std::string user;
    std::string device_class;
    std::string device;
    std::string from;
    std::string to;
    std::string search;
    int limit = 50;

    bool filters() const {
        return !(kind + state + label + user + device_class + device + from + to + search).empty();
    }
};

void list_jobs(const CommandContext& context, JobsOptions options) {
    if (!options.kind.empty()) {
        need(check_kind(options.kind));
    }
    need(terminal::read_moments({{"--from", &options.from}, {"--to", &options.to}}));
    auto api = need(client::signed_in());
    const std::vector<std::pair<std::string_view, std::string>> query = {
        {"limit", std::to_string(options.limit)},
        {"kind", options.kind},
        {"state", options.state},
        {"label", options.label},
        {"submitter", options.user},
        {"device_class", options.device_class},
        {"device", options.device},
        {"from", options.from},
        {"to", options.to},
        {"text", options.search}};
    auto page = need(api.get_json(client::with_query("/v1/jobs", query)));
    if (context.json) return context.terminal.line(page.dump(2));
    std::vector<std::vector<std::string>> rows = {
        {"JOB", "KIND", "STATE", "DONE", "ITEMS", "FAILED", "CREATED", "NAME"}};
    for (const auto& job : page.at("items")) {
        const auto& progress = job.at("progress");
        rows.push_back({text_of(job, "id"), text_of(job, "kind"), text_of(job, "state"),
                        terminal::format_share(progress.value("fraction", 0.0)),
                        format_count(progress.value("items_done", std::int64_t{0})) + "/" +
                            format_count(progress.value("items_total", std::int64_t{0})),
                        format_count(progress.value("items_failed", std::int64_t{0})),
                        text_of(job, "created_at"), text_of(job, "name")});
    }
    if (rows.size() > 1) {
        context.terminal.line(format_list(context.terminal, std::move(rows),
                                          {"ITEMS", "KIND", "FAILED", "DONE", "CREATED"}));
    } else if (!options.filters()) {
        context.terminal.line("No jobs yet: plimsoll submit …");
    } else {
        context.terminal.line("No job matches.");
    }
}

}  // namespace

void add_jobs(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<JobsOptions>();
    auto* command = app.add_subcommand("jobs", "List the team's jobs, newest first");
    command->add_option("--kind", options->kind, "Only jobs of this kind");
    command->add_option("--state", options->state,
                        "Only jobs in this state: scheduled, queued, running, cancelling, "
                        "succeeded, failed or cancelled");
    command->add_option("--label", options->label, "Only jobs with this label: key or key=value");
    command->add_option("--user", options->user, "Only jobs of this user: a name or an ID");
    command->add_option("--device-class", options->device_class, "Only jobs in this device class")
        ->check(CLI::IsMember({"host", "cpu", "gpu", "accelerator"}));
    command->add_option(
        "--device", options->device,
        "Only jobs with tasks on this device: node/device, as `plimsoll devices` lists them");
    command->add_option("--from", options->from,
                        "Only jobs submitted since: a time, or an age (90m, 24h, 7d)");
    command->add_option("--to", options->to, "Only jobs submitted before: a time, or an age");
    command->add_option("--search", options->search,
                        "Only jobs with these words in the ID, name, labels, kind or arguments");
    command->add_option("--limit", options->limit, "Maximum number of jobs")
        ->check(CLI::Range(1, 200))
        ->capture_default_str();
    command->callback([&context, options] { list_jobs(context, *options); });
}

}  // namespace plimsoll::cli
