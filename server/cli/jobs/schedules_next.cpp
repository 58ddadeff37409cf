#include "server/cli/jobs/schedules_next.hpp"

#include "server/base/time.hpp"
#include "server/schedules/times.hpp"
#include "server/terminal/command_context.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using terminal::CommandContext;

struct NextOptions {
    std::string cron;
    std::string time_zone = "UTC";
    std::string after;  // RFC 3339; now when left out
    int count = 5;
};

int show_next_runs(const CommandContext& context, const NextOptions& options) {
    const auto cron = schedules::Cron::parse(options.cron);
    if (!cron)
        return refuse(context, {Errc::invalid_input, "cron: " + cron.error().message + ".", {}});
    const auto zone = schedules::Zone::named(options.time_zone);
    if (!zone) return refuse(context, zone.error());
    auto after = std::optional(SystemClock().now());
    if (!options.after.empty()) after = parse_rfc3339(options.after);
    if (!after) {
        return refuse(
            context,
            {Errc::invalid_input, "--after must be a time like 2026-03-01T12:00:00Z.", {}});
    }
    const auto seconds = std::chrono::floor<std::chrono::seconds>(*after).time_since_epoch();
    std::vector<std::string> times;
    for (const auto time : schedules::next_dues(*cron, *zone, seconds.count(),
                                                static_cast<std::size_t>(options.count))) {
        times.push_back(to_rfc3339(Timestamp(std::chrono::seconds(time))));
    }
    if (context.json) {
        context.terminal.line(nlohmann::json{{"due", times}}.dump(2));
    } else {
        for (const auto& time : times) context.terminal.line(time);
    }
    return 0;
}

}  // namespace

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
    command->callback(
        [&context, options] { context.exit_code = show_next_runs(context, *options); });
}

}  // namespace plimsoll::cli
