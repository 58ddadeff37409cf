#include "server/cli/commands.hpp"
#include "server/cli/jobs/schedules_next.hpp"
#include "server/client/by_name.hpp"
#include "server/client/session.hpp"
#include "server/client/whole_list.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/list.hpp"
#include "server/terminal/members.hpp"
#include "server/terminal/removed.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using nlohmann::json;
using terminal::text_of;

struct ScheduleOptions {
    std::string id;  // or its name
    std::string name;
    std::string cron;
    std::string time_zone;
    std::string misfire;    // skip, once, all
    int misfire_limit = 0;  // 0: the server's default, or what it was
    std::string overlap;    // allow, skip, cancel, queue
    std::string job_file;   // a JobSpec as JSON; - for standard input
    int limit = 20;
};

Result<std::string> schedule_path(client::ApiClient& api, const ScheduleOptions& options) {
    const auto id = client::id_of(api, client::kSchedules, options.id);
    if (!id) return fail(id.error());
    return "/v1/schedules/" + *id;
}

std::string next_of(const json& schedule) {
    if (!text_of(schedule, "paused_at").empty()) return "paused";
    const auto& next = schedule.at("next_runs");
    return next.empty() ? "never" : text_of(next.front(), "local");
}

Result<json> read_job(const std::string& file) {
    std::string text;
    if (file == "-") {
        text.assign(std::istreambuf_iterator(std::cin), {});
    } else {
        std::ifstream in(file);
        if (!in) return fail(Errc::invalid_input, "The file cannot be read.", file);
        text.assign(std::istreambuf_iterator(in), {});
    }
    auto job = json::parse(text, nullptr, false);
    if (!job.is_object())
        return fail(Errc::invalid_input,
                    R"(The file is not a job in JSON: {"kind": …, "args": {…}}.)", file);
    return job;
}

// The members of `spec` that the options name are replaced.
Result<json> spec_of(const ScheduleOptions& options, json spec) {
    const auto set = [&](const char* member, const std::string& value) {
        if (!value.empty()) spec[member] = value;
    };
    set("name", options.name);
    set("cron", options.cron);
    set("time_zone", options.time_zone);
    set("misfire", options.misfire);
    set("overlap", options.overlap);
    if (options.misfire_limit > 0) {
        if (spec.value("misfire", "") != "all") {
            return fail(Errc::invalid_input,
                        "--misfire-limit has no effect without --misfire all.");
        }
        spec["misfire_limit"] = options.misfire_limit;
    }
    if (!options.job_file.empty()) {
        auto job = read_job(options.job_file);
        if (!job) return fail(job.error());
        spec["job"] = std::move(*job);
    }
    // Of an earlier --misfire all.
    if (spec.value("misfire", "") != "all") spec.erase("misfire_limit");
    return spec;
}

void print_schedule(const CommandContext& context, const json& schedule) {
    const auto& out = context.terminal;
    if (context.json) {
        out.line(schedule.dump(2));
        return;
    }
    out.line(format_table(
        out, {{"SCHEDULE", text_of(schedule, "id")},
              {"NAME", text_of(schedule, "name")},
              {"KIND", text_of(schedule, "kind")},
              {"WHEN", text_of(schedule, "cron") + "  in " + text_of(schedule, "time_zone")},
              {"MISFIRE", text_of(schedule, "misfire")},
              {"OVERLAP", text_of(schedule, "overlap")},
              {"PAUSED", text_of(schedule, "paused_at")}}));
    for (const auto& time : schedule.at("next_runs")) {
        out.line("next  " + text_of(time, "local") + "  " + text_of(time, "at"));
    }
}

int print_answer(const CommandContext& context, const Result<json>& schedule) {
    if (!schedule) return refuse(context, schedule.error());
    print_schedule(context, *schedule);
    return 0;
}

int post(const CommandContext& context, const ScheduleOptions& options, const std::string& action) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    const auto path = schedule_path(*api, options);
    if (!path) return refuse(context, path.error());
    return print_answer(context, api->post_json(*path + action, nullptr));
}

std::vector<std::string> schedule_row(const json& schedule) {
    return {text_of(schedule, "id"),        text_of(schedule, "name"), text_of(schedule, "cron"),
            text_of(schedule, "time_zone"), text_of(schedule, "kind"), next_of(schedule)};
}

std::vector<std::string> run_row(const json& run) {
    return {text_of(run, "due_at"), text_of(run, "outcome"), text_of(run, "job_id"),
            text_of(run, "job_state"), text_of(run, "reason")};
}

int list_schedules(const CommandContext& context) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    return show_list(context, client::whole_list(*api, "/v1/schedules"),
                     {{"SCHEDULE", "NAME", "CRON", "TIME ZONE", "KIND", "NEXT"}}, schedule_row,
                     "No schedules yet: plimsoll schedules add …");
}

int show_schedule(const CommandContext& context, const ScheduleOptions& options) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    const auto path = schedule_path(*api, options);
    if (!path) return refuse(context, path.error());
    return print_answer(context, api->get_json(*path));
}

int add_schedule(const CommandContext& context, const ScheduleOptions& options) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    auto spec = spec_of(options, json::object());
    if (!spec) return refuse(context, spec.error());
    return print_answer(context, api->post_json("/v1/schedules", *spec));
}

int edit(const CommandContext& context, const ScheduleOptions& options) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    const auto path = schedule_path(*api, options);
    if (!path) return refuse(context, path.error());
    auto stored = api->get_json(*path);
    if (!stored) return refuse(context, stored.error());
    json kept = json::object();
    for (const auto* member :
         {"name", "cron", "time_zone", "misfire", "misfire_limit", "overlap", "job"}) {
        kept[member] = stored->at(member);
    }
    auto spec = spec_of(options, std::move(kept));
    if (!spec) return refuse(context, spec.error());
    const auto version = '"' + stored->at("version").get<std::string>() + '"';
    return print_answer(context, api->put_json(*path, *spec, {{"If-Match", version}}));
}

int pause(const CommandContext& context, const ScheduleOptions& options) {
    return post(context, options, "/pause");
}

int resume_schedule(const CommandContext& context, const ScheduleOptions& options) {
    return post(context, options, "/resume");
}

int remove_schedule(const CommandContext& context, const ScheduleOptions& options) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    const auto id = client::id_of(*api, client::kSchedules, options.id);
    if (!id) return refuse(context, id.error());
    return show_removed(context, api->send("DELETE", "/v1/schedules/" + *id), *id);
}

int run_schedule(const CommandContext& context, const ScheduleOptions& options) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    const auto path = schedule_path(*api, options);
    if (!path) return refuse(context, path.error());
    auto run = api->post_json(*path + "/runs", nullptr);
    if (!run) return refuse(context, run.error());
    context.terminal.line(context.json ? run->dump(2) : text_of(*run, "job_id"));
    return 0;
}

int list_runs(const CommandContext& context, const ScheduleOptions& options) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    const auto path = schedule_path(*api, options);
    if (!path) return refuse(context, path.error());
    return show_list(context, api->get_json(*path + "/runs?limit=" + std::to_string(options.limit)),
                     {{"DUE", "OUTCOME", "JOB", "STATE", "WHY"}}, run_row,
                     "The schedule has not been due yet.");
}

void add_settings(CLI::App& command, ScheduleOptions& options, bool required) {
    // A change keeps what is not given.
    const auto usual = [required](std::string help, const char* value) {
        return required ? help + " (default: " + value + ")" : help;
    };
    auto* cron = command.add_option("--cron", options.cron,
                                    "Cron expression: minute hour day month weekday, or @daily, …");
    command.add_option("--time-zone", options.time_zone,
                       usual("Time zone: Europe/Berlin, …", "UTC"));
    command
        .add_option(
            "--misfire", options.misfire,
            usual("For runs missed while no server was running: skip them, run once for all "
                  "of them, or run all",
                  "once"))
        ->check(CLI::IsMember({"skip", "once", "all"}));
    command
        .add_option("--misfire-limit", options.misfire_limit,
                    usual("With --misfire all: run at most this many missed runs", "10"))
        ->check(CLI::Range(1, 100));
    command
        .add_option("--overlap", options.overlap,
                    usual("While the previous job is unfinished: allow both, skip the run, cancel "
                          "the previous job, or queue the run behind it",
                          "skip"))
        ->check(CLI::IsMember({"allow", "skip", "cancel", "queue"}));
    auto* job =
        command.add_option("--job", options.job_file,
                           "File with the job as JSON, {\"kind\": …, \"args\": {…}}; - reads "
                           "standard input");
    if (required) {
        cron->required();
        job->required();
    }
}

}  // namespace

void add_schedules(CLI::App& app, CommandContext& context) {
    auto* group = app.add_subcommand("schedules", "Submit jobs on a schedule");
    group->require_subcommand(1);
    group->fallthrough();
    group->add_subcommand("list", "List the team's schedules")->callback([&context] {
        context.exit_code = list_schedules(context);
    });
    const auto options = std::make_shared<ScheduleOptions>();
    auto* add_command = group->add_subcommand("add", "Add a schedule");
    add_command->add_option("name", options->name, "Name of the schedule")->required();
    add_settings(*add_command, *options, true);
    add_command->callback(
        [&context, options] { context.exit_code = add_schedule(context, *options); });
    const auto on_schedule = [&](const char* name, const char* help, auto run) {
        auto* command = group->add_subcommand(name, help);
        command->add_option("schedule", options->id, "The schedule, by name or ID")->required();
        command->callback([&context, options, run] { context.exit_code = run(context, *options); });
        return command;
    };
    on_schedule("show", "Show a schedule and its next runs", show_schedule);
    auto* edit_command = on_schedule("edit", "Change the given settings and keep the others", edit);
    auto* changes = edit_command->add_option_group("Changes");
    changes->add_option("--name", options->name, "New name");
    add_settings(*changes, *options, false);
    changes->require_option(1, 0);
    on_schedule("pause", "Pause a schedule", pause);
    on_schedule("resume", "Resume a paused schedule", resume_schedule);
    on_schedule("run", "Submit a schedule's job now", run_schedule);
    on_schedule("runs", "List past runs and their outcomes, newest first", list_runs)
        ->add_option("--limit", options->limit, "Maximum number of runs")
        ->check(CLI::Range(1, 200))
        ->capture_default_str();
    on_schedule("remove", "Delete a schedule and keep its jobs", remove_schedule);
    add_schedules_next(*group, context);
}

}  // namespace plimsoll::cli
