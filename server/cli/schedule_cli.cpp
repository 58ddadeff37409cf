#include "server/cli/schedule_cli.hpp"

#include "server/base/time.hpp"
#include "server/cli/schedules.hpp"
#include "server/schedules/times.hpp"

#include <memory>

namespace plimsoll::app {
namespace {

struct NextOptions {
    std::string cron;
    std::string time_zone = "UTC";
    std::string after;  // RFC 3339; now when left out
    int count = 5;
};

int show_next(const client::Session& session, const NextOptions& options) {
    const auto cron = schedules::Cron::parse(options.cron);
    if (!cron) return client::report_error(session, cron.error());
    const auto zone = schedules::Zone::named(options.time_zone);
    if (!zone) return client::report_error(session, zone.error());
    auto after = std::optional(SystemClock().now());
    if (!options.after.empty()) after = parse_rfc3339(options.after);
    if (!after) {
        return client::report_error(
            session,
            {Errc::invalid_input, "--after must be a time like 2026-03-01T12:00:00Z.", {}});
    }
    const auto seconds = std::chrono::floor<std::chrono::seconds>(*after).time_since_epoch();
    for (const auto time :
         next_dues(*cron, *zone, seconds.count(), static_cast<std::size_t>(options.count))) {
        session.terminal.line(to_rfc3339(Timestamp(std::chrono::seconds(time))));
    }
    return 0;
}

}  // namespace

void add_schedule_commands(CLI::App& app, const client::Session& session, int& code) {
    auto* command = app.add_subcommand("schedules", "Have jobs submitted again and again");
    command->require_subcommand(1);
    command->fallthrough();
    command->add_subcommand("list", "List the team's schedules")->callback([&session, &code] {
        code = client::list_schedules(session);
    });
    auto options = std::make_shared<client::ScheduleOptions>();
    const auto settings = [options](CLI::App* sub, bool needed) {
        auto* cron = sub->add_option("--cron", options->cron,
                                     "When: minute hour day month weekday, or @daily, …");
        sub->add_option("--time-zone", options->time_zone, "Europe/Berlin, …; UTC by default");
        sub->add_option("--misfire", options->misfire,
                        "For times at which no server ran: skip, once or all")
            ->check(CLI::IsMember({"skip", "once", "all"}));
        sub->add_option("--misfire-limit", options->misfire_limit, "How many, of all")
            ->check(CLI::Range(1, 100));
        sub->add_option("--overlap", options->overlap,
                        "While an earlier job runs: allow, skip, cancel or queue")
            ->check(CLI::IsMember({"allow", "skip", "cancel", "queue"}));
        auto* job =
            sub->add_option("--job", options->job_file, "File with the job's spec as JSON, or -");
        if (needed) {
            cron->required();
            job->required();
        }
    };
    auto* add = command->add_subcommand("add", "Add one");
    add->add_option("name", options->name, "What to call it")->required();
    settings(add, true);
    add->callback([&session, &code, options] { code = client::add_schedule(session, *options); });
    const auto on_schedule = [&, options](const char* name, const char* help, auto run) {
        auto* sub = command->add_subcommand(name, help);
        sub->add_option("schedule", options->id, "The schedule's id")->required();
        sub->callback([&session, &code, options, run] { code = run(session, *options); });
        return sub;
    };
    on_schedule("show", "Show one, with its next runs", client::show_schedule);
    auto* edit = on_schedule("edit", "Change what is given", client::edit_schedule);
    edit->add_option("--name", options->name, "What to call it");
    settings(edit, false);
    on_schedule("pause", "Submit nothing until it is resumed", client::pause_schedule);
    on_schedule("resume", "Go on after a pause", client::resume_schedule);
    on_schedule("run", "Submit its job now", client::run_schedule);
    on_schedule("runs", "List what became of its times, newest first", client::list_schedule_runs)
        ->add_option("--limit", options->limit, "How many")
        ->check(CLI::Range(1, 200));
    on_schedule("remove", "Delete it; its jobs stay", client::remove_schedule);

    auto next_options = std::make_shared<NextOptions>();
    auto* next = command->add_subcommand("next", "Say when an expression is due, without a server");
    next->add_option("cron", next_options->cron, "The expression, quoted")->required();
    next->add_option("--time-zone", next_options->time_zone, "Europe/Berlin, …");
    next->add_option("--after", next_options->after, "A time like 2026-03-01T12:00:00Z");
    next->add_option("--count", next_options->count, "How many")->check(CLI::Range(1, 100000));
    next->callback([&session, &code, next_options] { code = show_next(session, *next_options); });
}

}  // namespace plimsoll::app
