#include "server/cli/schedules.hpp"

#include "server/cli/rest_commands.hpp"
#include "server/terminal/list.hpp"
#include "server/terminal/members.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

#include <nlohmann/json.hpp>

namespace plimsoll::client {
namespace {

using nlohmann::json;

std::string path_of(const ScheduleOptions& options) {
    return "/v1/schedules/" + options.id;
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
        if (!in) return fail(Errc::invalid_input, "Cannot read " + file + ".");
        text.assign(std::istreambuf_iterator(in), {});
    }
    auto job = json::parse(text, nullptr, false);
    if (!job.is_object()) return fail(Errc::invalid_input, file + " is not a JSON object.");
    return job;
}

// What is given goes over what is there.
Result<json> spec_of(const ScheduleOptions& options, json spec) {
    const auto set = [&](const char* member, const std::string& value) {
        if (!value.empty()) spec[member] = value;
    };
    set("name", options.name);
    set("cron", options.cron);
    set("time_zone", options.time_zone);
    set("misfire", options.misfire);
    set("overlap", options.overlap);
    if (options.misfire_limit > 0) spec["misfire_limit"] = options.misfire_limit;
    if (!options.job_file.empty()) {
        auto job = read_job(options.job_file);
        if (!job) return fail(job.error());
        spec["job"] = std::move(*job);
    }
    return spec;
}

void print(const Session& session, const json& schedule) {
    const auto& out = session.terminal;
    if (session.json) {
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

int show(const Session& session, const Result<json>& schedule) {
    if (!schedule) return report_error(session, schedule.error());
    print(session, *schedule);
    return 0;
}

int post(const Session& session, const std::string& path) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    return show(session, api->post_json(path, nullptr));
}

std::vector<std::string> schedule_row(const json& schedule) {
    return {text_of(schedule, "id"),        text_of(schedule, "name"), text_of(schedule, "cron"),
            text_of(schedule, "time_zone"), text_of(schedule, "kind"), next_of(schedule)};
}

std::vector<std::string> run_row(const json& run) {
    return {text_of(run, "due_at"), text_of(run, "outcome"), text_of(run, "job_id"),
            text_of(run, "job_state"), text_of(run, "reason")};
}

}  // namespace

int list_schedules(const Session& session) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    return show_list(session, api->get_json("/v1/schedules"),
                     {{"SCHEDULE", "NAME", "CRON", "TIME ZONE", "KIND", "NEXT"}}, schedule_row,
                     "No schedules yet: plimsoll schedules add …");
}

int show_schedule(const Session& session, const ScheduleOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    return show(session, api->get_json(path_of(options)));
}

int add_schedule(const Session& session, const ScheduleOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto spec = spec_of(options, json::object());
    if (!spec) return report_error(session, spec.error());
    return show(session, api->post_json("/v1/schedules", *spec));
}

int edit_schedule(const Session& session, const ScheduleOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto stored = api->get_json(path_of(options));
    if (!stored) return report_error(session, stored.error());
    json kept = json::object();
    for (const auto* member :
         {"name", "cron", "time_zone", "misfire", "misfire_limit", "overlap", "job"}) {
        kept[member] = stored->at(member);
    }
    auto spec = spec_of(options, std::move(kept));
    if (!spec) return report_error(session, spec.error());
    const auto version = '"' + std::to_string(stored->at("version").get<int>()) + '"';
    auto reply = api->send("PUT", path_of(options), spec->dump(), {{"If-Match", version}});
    if (!reply) return report_error(session, reply.error());
    return show(session, json::parse(reply->body));
}

int pause_schedule(const Session& session, const ScheduleOptions& options) {
    return post(session, path_of(options) + "/pause");
}

int resume_schedule(const Session& session, const ScheduleOptions& options) {
    return post(session, path_of(options) + "/resume");
}

int remove_schedule(const Session& session, const ScheduleOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto removed = api->send("DELETE", path_of(options));
    return removed ? 0 : report_error(session, removed.error());
}

int run_schedule(const Session& session, const ScheduleOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto run = api->post_json(path_of(options) + "/runs", nullptr);
    if (!run) return report_error(session, run.error());
    session.terminal.line(session.json ? run->dump(2) : text_of(*run, "job_id"));
    return 0;
}

int list_schedule_runs(const Session& session, const ScheduleOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    return show_list(
        session, api->get_json(path_of(options) + "/runs?limit=" + std::to_string(options.limit)),
        {{"DUE", "OUTCOME", "JOB", "STATE", "WHY"}}, run_row, "It was never due yet.");
}

}  // namespace plimsoll::client
