#include "server/cli/jobs/known_kind.hpp"
#include "server/cli/resource.hpp"
#include "server/terminal/flag_values.hpp"
#include "server/terminal/follow_job.hpp"

namespace plimsoll::cli {
namespace {

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
    if (!options.kind.empty()) need(check_kind(options.kind));
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

void cancel(const CommandContext& context, std::string job_id) {
    auto api = need(client::signed_in(job_id));
    auto job = need(api.post_json("/v1/jobs/" + job_id + "/cancellation", nullptr));
    context.terminal.line(context.json ? job.dump(2)
                                       : job_id + " " + terminal::text_of(job, "state"));
}

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
        for (const auto& refusal : total["refused"])
            context.terminal.note(refusal.value("job_id", "") + ": " + refusal.value("detail", ""));
    }
    return total["refused"].empty() ? 0 : 1;
}

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

void add_cancel(CLI::App& app, CommandContext& context) {
    const auto job = std::make_shared<std::string>();
    auto* command = app.add_subcommand("cancel", "Cancel a job");
    command->add_option("job", *job, "ID of the job")->required();
    command->callback([&context, job] { cancel(context, *job); });
}

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
        if (options->jobs.empty() && !options->all_failed)
            throw CLI::RequiredError("job IDs, or --all-failed");
        context.exit_code = redrive(context, *options);
    });
}

void add_watch(CLI::App& app, CommandContext& context) {
    const auto job = std::make_shared<std::string>();
    auto* command = app.add_subcommand("watch", "Follow a job to its end");
    command->add_option("job", *job, "ID of the job")->required();
    command->callback([&context, job] { context.exit_code = follow_job(context, *job); });
}

void add_why(CLI::App& app, CommandContext& context) {
    const auto job = std::make_shared<std::string>();
    auto* command = app.add_subcommand("why", "Explain why a job is waiting");
    command->add_option("job", *job, "ID of the job")->required();
    command->callback([&context, job] { explain(context, *job); });
}

}  // namespace plimsoll::cli
