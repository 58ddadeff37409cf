#include "server/cli/queue_cli.hpp"

#include "server/cli/rest_commands.hpp"

#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::app {
namespace {

struct QueueFlags {
    client::HoldOptions hold;
    client::ShareOptions share;
    std::string id;
    client::LimitOptions limits;
    double half_life_seconds = 0;
    double entry_limit_seconds = 0;
};

void add_hold(CLI::App& command, const char* mode, const char* help, client::Session& session,
              const std::shared_ptr<QueueFlags>& flags, int& code) {
    auto* sub = command.add_subcommand(mode, help);
    auto* subject = sub->add_option_group("subject", "What to stop");
    subject->add_option("--team", flags->hold.team, "A team, by its id");
    subject->add_option("--class", flags->hold.device_class, "A device class");
    subject->add_option("--node", flags->hold.node, "A machine");
    subject->require_option(1);
    sub->add_option("--device", flags->hold.device, "One device of the node");
    sub->add_option("--reason", flags->hold.reason, "For everybody whose jobs wait for it")
        ->required();
    sub->callback([&session, &code, flags, mode] {
        flags->hold.mode = mode;
        code = client::hold(session, flags->hold);
    });
}

}  // namespace

void add_queue_commands(CLI::App& app, client::Session& session, int& code) {
    const auto flags = std::make_shared<QueueFlags>();
    auto* command = app.add_subcommand("queue", "See and change who may use how much");
    command->require_subcommand(1);
    command->fallthrough();
    command->add_subcommand("show", "Show shares, quotas and what is stopped")->callback([&] {
        code = client::show_queue(session);
    });
    add_hold(*command, "pause", "Let nothing start; what runs goes on", session, flags, code);
    add_hold(*command, "drain", "The same, to wait until nothing runs", session, flags, code);
    auto* resume = command->add_subcommand("resume", "Lift a pause or a drain");
    resume->add_option("hold", flags->id, "Its id")->required();
    resume->callback([&session, &code, flags] { code = client::resume(session, flags->id); });
    auto* share = command->add_subcommand("share", "Set a team's share of a device class, whole");
    share->add_option("team", flags->share.team, "The team's id")->required();
    share->add_option("class", flags->share.device_class, "The device class")->required();
    share->add_option("--weight", flags->share.weight, "Its part beside other teams'");
    share->add_option("--cap", flags->share.cap, "Devices at once; none when left out");
    share->add_option("--quota-seconds", flags->share.quota_seconds,
                      "Device-seconds in a period; none when left out");
    share->add_option("--quota-period", flags->share.quota_period, "hour, day, week or month")
        ->check(CLI::IsMember({"hour", "day", "week", "month"}));
    share->callback([&session, &code, flags] { code = client::set_share(session, flags->share); });
    auto* limit = command->add_subcommand("limit", "Set a team's limits on jobs, both");
    limit->add_option("team", flags->limits.team, "The team's id")->required();
    limit->add_option("--queued-jobs", flags->limits.queued_jobs,
                      "Jobs that have not started; any number when left out");
    limit->add_option("--jobs-per-minute", flags->limits.jobs_per_minute,
                      "Jobs submitted in a minute; any number when left out");
    limit->callback(
        [&session, &code, flags] { code = client::set_limits(session, flags->limits); });
    auto* history = command->add_subcommand("class", "Set how long a class remembers use");
    history->add_option("class", flags->id, "The device class")->required();
    history
        ->add_option("--half-life", flags->half_life_seconds, "Seconds after which use counts half")
        ->required();
    history
        ->add_option("--entry-limit", flags->entry_limit_seconds,
                     "Device-seconds that a heavy user starts later at most")
        ->required();
    history->callback([&session, &code, flags] {
        code = client::set_device_class(session, flags->id, flags->half_life_seconds,
                                        flags->entry_limit_seconds);
    });
}

void add_usage_command(CLI::App& app, client::Session& session, int& code) {
    const auto options = std::make_shared<client::UsageOptions>();
    auto* command = app.add_subcommand("usage", "Show what was used, by team, user, kind and hour");
    command->add_option("--from", options->from, "RFC 3339; a week before the end when left out");
    command->add_option("--to", options->to, "RFC 3339; now when left out");
    command->add_option("--by", options->by,
                        "hour, day or month, team, user, kind; commas between them");
    command->add_option("--team", options->team, "Only this team, by its id");
    command->add_flag("--csv", options->csv, "As CSV");
    command->callback([&session, &code, options] { code = client::show_usage(session, *options); });
}

}  // namespace plimsoll::app
