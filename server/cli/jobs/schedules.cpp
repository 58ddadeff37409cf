#include "server/base/time.hpp"
#include "server/cli/resource.hpp"
#include "server/schedules/times.hpp"
#include "server/terminal/assignment.hpp"
#include "server/terminal/files/job_file.hpp"
#include "server/terminal/files/records_file.hpp"

#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

namespace plimsoll::cli {
namespace {

struct NextOptions {
    std::string cron;
    std::string time_zone = "UTC";
    std::string after;  // RFC 3339; now when left out
    int count = 5;
};

void show_next_runs(const CommandContext& context, const NextOptions& options) {
    const auto cron = schedules::Cron::parse(options.cron);
    if (!cron) throw Refused(Errc::invalid_input, "cron: " + cron.error().message + ".");
    const auto zone = need(schedules::Zone::named(options.time_zone));
    auto after = std::optional(SystemClock().now());
    if (!options.after.empty()) after = parse_rfc3339(options.after);
    if (!after)
        throw Refused(Errc::invalid_input, "--after must be a time like 2026-03-01T12:00:00Z.");
    const auto seconds = std::chrono::floor<std::chrono::seconds>(*after).time_since_epoch();
    std::vector<std::string> times;
    for (const auto time : schedules::next_dues(*cron, zone, seconds.count(),
                                                static_cast<std::size_t>(options.count))) {
        times.push_back(to_rfc3339(Timestamp(std::chrono::seconds(time))));
    }
    if (times.empty()) throw Refused(Errc::invalid_input, "The expression is never due.", "cron");
    if (context.json)
        context.terminal.line(json{{"due", times}}.dump(2));
    else
        for (const auto& time : times) context.terminal.line(time);
}

// `plimsoll schedules next`, which needs no server.
void add_schedules_next(CLI::App& group, CommandContext& context) {
    const auto options = std::make_shared<NextOptions>();
    auto* command =
        group.add_subcommand("next", "List the next times of a cron expression, without a server");
    command->add_option("cron", options->cron, "Cron expression, in quotes")->required();
    command->add_option("--time-zone", options->time_zone,
                        "Time zone: Europe/Berlin, … (default: UTC)");
    command->add_option("--after", options->after,
                        "Start after this time, for example 2026-03-01T12:00:00Z (default: now)");
    command->add_option("--count", options->count, "Number of times to list")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    command->callback([&context, options] { show_next_runs(context, *options); });
}

struct ScheduleOptions {
    std::string id;  // or its name
    std::string name;
    std::string cron;
    std::string time_zone;
    std::string misfire;                // skip, once, all
    int misfire_limit = 0;              // 0: the server's default, or what it was
    std::string overlap;                // allow, skip, cancel, queue
    std::string job_file;               // a JobSpec as JSON; - for standard input
    std::string kind;                   // of a job on a file
    std::string file;                   // .jsonl or .csv: the first version of its dataset
    std::vector<std::string> settings;  // member=value of the job's "args"
    std::vector<std::string> columns;   // member=column of the file
    std::vector<std::string> labels;    // key=value, of each job
    bool only_new = false;
    int limit = 20;
};

std::string schedule_path(client::ApiClient& api, const ScheduleOptions& options) {
    const auto id = need(client::id_of(api, client::kSchedules, options.id));
    return "/v1/schedules/" + id;
}

std::string next_of(const json& schedule) {
    if (!text_of(schedule, "paused_at").empty()) return "paused";
    const auto& next = schedule.at("next_runs");
    return next.empty() ? "never" : text_of(next.front(), "local");
}

json read_job(const std::string& file) {
    std::string text;
    if (file == "-") {
        text.assign(std::istreambuf_iterator(std::cin), {});
    } else {
        std::ifstream in(file);
        if (!in) throw Refused(Errc::invalid_input, "The file cannot be read.", file);
        text.assign(std::istreambuf_iterator(in), {});
    }
    auto job = json::parse(text, nullptr, false);
    if (!job.is_object())
        throw Refused(Errc::invalid_input,
                      R"(The file is not a job in JSON: {"kind": …, "args": {…}}.)", file);
    return job;
}

// The members of `spec` that the options name are replaced.
json spec_of(const ScheduleOptions& options, json spec) {
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
            throw Refused(Errc::invalid_input,
                          "--misfire-limit has no effect without --misfire all.");
        }
        spec["misfire_limit"] = options.misfire_limit;
    }
    if (!options.job_file.empty()) {
        auto job = read_job(options.job_file);
        spec["job"] = std::move(job);
    }
    // Of an earlier --misfire all.
    if (spec.value("misfire", "") != "all") spec.erase("misfire_limit");
    return spec;
}

void print_schedule(const CommandContext& context, Result<json> answer) {
    const auto schedule = need(std::move(answer));
    const auto& out = context.terminal;
    if (context.json) return out.line(schedule.dump(2));
    out.line(format_table(
        out, {{"SCHEDULE", text_of(schedule, "id")},
              {"NAME", text_of(schedule, "name")},
              {"KIND", text_of(schedule, "kind")},
              {"WHEN", text_of(schedule, "cron") + "  in " + text_of(schedule, "time_zone")},
              {"MISFIRE", text_of(schedule, "misfire")},
              {"OVERLAP", text_of(schedule, "overlap")},
              {"PAUSED", text_of(schedule, "paused_at")}}));
    for (const auto& time : schedule.at("next_runs"))
        out.line("next  " + text_of(time, "local") + "  " + text_of(time, "at"));
}

void post(const CommandContext& context, const ScheduleOptions& options,
          const std::string& action) {
    auto api = need(client::signed_in());
    const auto path = schedule_path(api, options);
    return print_schedule(context, api.post_json(path + action, nullptr));
}

std::vector<std::string> schedule_row(const json& schedule) {
    return {text_of(schedule, "id"),        text_of(schedule, "name"), text_of(schedule, "cron"),
            text_of(schedule, "time_zone"), text_of(schedule, "kind"), next_of(schedule)};
}

std::vector<std::string> run_row(const json& run) {
    return {text_of(run, "due_at"), text_of(run, "outcome"), text_of(run, "job_id"),
            text_of(run, "job_state"), text_of(run, "reason")};
}

void show_schedule(const CommandContext& context, const ScheduleOptions& options) {
    auto api = need(client::signed_in());
    const auto path = schedule_path(api, options);
    return print_schedule(context, api.get_json(path));
}

// Runs the job on the last version of the file's dataset: `datasets upload` adds one.
void add_on_file(const CommandContext& context, const ScheduleOptions& options) {
    json args = json::object();
    if (!options.columns.empty()) args["columns"] = need(terminal::column_args(options.columns));
    need(terminal::assign_all(args, options.settings));
    const auto labels = labels_of(options.labels);
    auto api = need(client::signed_in());
    const auto dataset =
        need(terminal::upload_with_bar(context.terminal, api, {options.file, {}, {}}));
    args["dataset"] = (options.only_new ? "new:" : "newest:") + text_of(dataset, "name");
    auto spec = spec_of(options, json::object());
    spec["job"] = {{"kind", options.kind},
                   {"name", options.name},
                   {"labels", labels},
                   {"args", std::move(args)}};
    auto added = api.post_json("/v1/schedules", spec);
    // What is refused leaves nothing.
    if (!added) (void)api.send("DELETE", "/v1/datasets/" + text_of(dataset, "id"));
    return print_schedule(context, std::move(added));
}

void add_schedule(const CommandContext& context, const ScheduleOptions& options) {
    if (!options.kind.empty()) return add_on_file(context, options);
    if (options.job_file.empty()) {
        throw Refused(Errc::invalid_input,
                      "Say what to run: --kind KIND FILE.csv, or --job JOB.json.");
    }
    auto api = need(client::signed_in());
    auto spec = spec_of(options, json::object());
    return print_schedule(context, api.post_json("/v1/schedules", spec));
}

void edit(const CommandContext& context, const ScheduleOptions& options) {
    auto api = need(client::signed_in());
    const auto path = schedule_path(api, options);
    auto stored = need(api.get_json(path));
    json kept = json::object();
    for (const auto* member :
         {"name", "cron", "time_zone", "misfire", "misfire_limit", "overlap", "job"}) {
        kept[member] = stored.at(member);
    }
    auto spec = spec_of(options, std::move(kept));
    const auto version = '"' + stored.at("version").get<std::string>() + '"';
    return print_schedule(context, api.put_json(path, spec, {{"If-Match", version}}));
}

void pause(const CommandContext& context, const ScheduleOptions& options) {
    return post(context, options, "/pause");
}

void resume_schedule(const CommandContext& context, const ScheduleOptions& options) {
    return post(context, options, "/resume");
}

void remove_schedule(const CommandContext& context, const ScheduleOptions& options) {
    remove_named(context, client::kSchedules, options.id);
}

void run_schedule(const CommandContext& context, const ScheduleOptions& options) {
    auto api = need(client::signed_in());
    const auto path = schedule_path(api, options);
    auto run = need(api.post_json(path + "/runs", nullptr));
    print_answer(context, run, text_of(run, "job_id"));
}

void list_runs(const CommandContext& context, const ScheduleOptions& options) {
    auto api = need(client::signed_in());
    const auto path = schedule_path(api, options);
    return show_list(context, api.get_json(path + "/runs?limit=" + std::to_string(options.limit)),
                     {{"DUE", "OUTCOME", "JOB", "STATE", "WHY"}}, run_row,
                     "The schedule has not been due yet.");
}

void add_settings(CLI::App& command, ScheduleOptions& options, bool required) {
    // A change keeps what is not given.
    const auto with_default = [required](std::string help, const char* value) {
        return required ? help + " (default: " + value + ")" : help;
    };
    auto* cron = command.add_option("--cron", options.cron,
                                    "Cron expression: minute hour day month weekday, or @daily, …");
    command.add_option("--time-zone", options.time_zone,
                       with_default("Time zone: Europe/Berlin, …", "UTC"));
    command
        .add_option(
            "--misfire", options.misfire,
            with_default("For runs missed while no server was running: skip them, run once for all "
                         "of them, or run all",
                         "once"))
        ->check(CLI::IsMember({"skip", "once", "all"}));
    command
        .add_option("--misfire-limit", options.misfire_limit,
                    with_default("With --misfire all: run at most this many missed runs", "10"))
        ->check(CLI::Range(1, 100));
    command
        .add_option(
            "--overlap", options.overlap,
            with_default("While the previous job is unfinished: allow both, skip the run, cancel "
                         "the previous job, or queue the run behind it",
                         "skip"))
        ->check(CLI::IsMember({"allow", "skip", "cancel", "queue"}));
    auto* job =
        command.add_option("--job", options.job_file,
                           "File with the job as JSON, {\"kind\": …, \"args\": {…}}; - reads "
                           "standard input");
    if (!required) return;
    cron->required();
    auto* kind = command.add_option("--kind", options.kind, "Kind of a job on a file");
    auto* file =
        command
            .add_option("file", options.file,
                        "With --kind: texts as .jsonl or .csv, uploaded as a dataset; each "
                        "run takes the last upload of this name")
            ->check(CLI::ExistingFile);
    file->needs(kind);
    kind->needs(file)->excludes(job);
    command.add_option("--set", options.settings, "With --kind: an argument, member=value")
        ->needs(kind);
    terminal::add_column_flag(command, options.columns);
    command.get_option("--column")->needs(kind);
    command.add_option("--label", options.labels, "With --kind: label of each job; repeatable")
        ->needs(kind);
    command
        .add_flag("--only-new", options.only_new,
                  "With --kind: skip a run if nothing was uploaded since the last one")
        ->needs(kind);
}

}  // namespace

void add_schedules(CLI::App& app, CommandContext& context) {
    auto* group = add_resource(app, "schedules", "Submit jobs on a schedule");
    add_list(group, context,
             {"List the team's schedules",
              "/v1/schedules",
              {"SCHEDULE", "NAME", "CRON", "TIME ZONE", "KIND", "NEXT"},
              schedule_row,
              "No schedules yet: plimsoll schedules add …"});
    const auto options = std::make_shared<ScheduleOptions>();
    auto* add_command = group->add_subcommand("add", "Add a schedule");
    add_command->add_option("name", options->name, "Name of the schedule")->required();
    add_settings(*add_command, *options, true);
    add_command->callback([&context, options] { add_schedule(context, *options); });
    const auto on_schedule = [&](const char* name, const char* help, auto run) {
        auto* command = group->add_subcommand(name, help);
        command->add_option("schedule", options->id, "The schedule, by name or ID")->required();
        command->callback([&context, options, run] { run(context, *options); });
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
