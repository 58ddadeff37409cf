#include "server/cli/commands.hpp"
#include "server/client/session.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/members.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using nlohmann::json;
using terminal::text_of;

struct HoldOptions {
    std::string team;  // one of these three
    std::string device_class;
    std::string node;
    std::string device;  // of the node
    std::string reason;
};

struct ShareOptions {
    std::string team;
    std::string device_class;
    double weight = 1;
    std::optional<int> cap;
    std::optional<double> quota_seconds;
    std::string quota_period = "day";
};

struct LimitOptions {  // empty: unlimited
    std::string team;
    std::optional<int> queued_jobs;
    std::optional<int> jobs_per_minute;
};

struct ClassOptions {
    std::string device_class;
    double half_life_seconds = 0;
    double entry_limit_seconds = 0;
};

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

std::string percent(double share) {
    return number(share * 100) + " %";
}

std::string quota_of(const json& share) {
    const auto& quota = share.at("quota");
    if (quota.is_null()) return "-";
    return number(quota.at("used_seconds")) + " of " + number(quota.at("seconds")) + " s a " +
           text_of(quota, "period");
}

std::vector<std::string> share_row(const json& share) {
    const auto& cap = share.at("cap");
    return {text_of(share.at("team"), "id"),
            text_of(share.at("team"), "name"),
            text_of(share, "device_class"),
            number(share.at("weight")),
            percent(share.at("used_share")),
            percent(share.at("fair_share")),
            std::to_string(share.at("devices_used").get<int>()) +
                (cap.is_null() ? "" : " of " + std::to_string(cap.get<int>())),
            quota_of(share),
            std::to_string(share.at("tasks_ready").get<std::int64_t>())};
}

std::string subject_of(const json& hold) {
    if (!hold.at("team").is_null()) return "team " + text_of(hold["team"], "name");
    if (!hold.at("device_class").is_null()) return "class " + text_of(hold, "device_class");
    const auto device = text_of(hold, "device");
    return "node " + text_of(hold, "node") + (device.empty() ? "" : ", " + device);
}

std::vector<std::string> hold_row(const json& hold) {
    return {
        text_of(hold, "id"),         subject_of(hold),
        text_of(hold, "mode"),       std::to_string(hold.at("tasks_running").get<std::int64_t>()),
        text_of(hold, "created_by"), text_of(hold, "created_at"),
        text_of(hold, "reason")};
}

std::vector<std::string> limit_row(const json& limit) {
    const auto number = [&](const char* member) {
        const auto& value = limit.at(member);
        return value.is_null() ? "-" : std::to_string(value.get<std::int64_t>());
    };
    const bool waiting = !limit.at("queued_jobs").is_null();
    return {text_of(limit, "team_id"), waiting ? number("queued") : "-", number("queued_jobs"),
            number("jobs_per_minute")};
}

void print(const CommandContext& context, std::vector<std::vector<std::string>> rows,
           const json& items, std::vector<std::string> (*row_of)(const json&)) {
    for (const auto& item : items) rows.push_back(row_of(item));
    if (rows.size() > 1) context.terminal.line(format_table(context.terminal, rows));
}

int put(const CommandContext& context, const std::string& target, const json& body) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    const auto answer = api->put_json(target, body);
    if (!answer) return refuse(context, answer.error());
    if (context.json) context.terminal.line(answer->dump(2));
    return 0;
}

int show(const CommandContext& context) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    const auto queue = api->get_json("/v1/queue");
    if (!queue) return refuse(context, queue.error());
    if (context.json) {
        context.terminal.line(queue->dump(2));
        return 0;
    }
    const auto count = [](const json& of, const char* member) {
        return std::to_string(of.at(member).get<std::int64_t>());
    };
    std::vector<std::vector<std::string>> classes = {
        {"CLASS", "DEVICES", "READY", "RUNNING", "WAITING"}};
    for (const auto& one : queue->at("classes")) {
        classes.push_back({text_of(one, "device_class"), count(one, "devices"),
                           count(one, "tasks_ready"), count(one, "tasks_running"),
                           count(one, "tasks_waiting")});
    }
    context.terminal.line(format_table(context.terminal, classes));
    print(context,
          {{"TEAM", "NAME", "CLASS", "WEIGHT", "USED", "DUE", "DEVICES", "QUOTA", "READY"}},
          queue->at("shares"), share_row);
    print(context, {{"LIMITS OF", "WAITING", "OF AT MOST", "JOBS A MINUTE"}}, queue->at("limits"),
          limit_row);
    print(context, {{"HOLD", "OF", "MODE", "RUNNING", "BY", "SINCE", "REASON"}}, queue->at("holds"),
          hold_row);
    return 0;
}

int hold(const CommandContext& context, const char* mode, const HoldOptions& options) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    json body = {{"mode", mode}, {"reason", options.reason}};
    const auto name = [&](const char* member, const std::string& value) {
        if (!value.empty()) body[member] = value;
    };
    name("team_id", options.team);
    name("device_class", options.device_class);
    name("node", options.node);
    name("device", options.device);
    const auto made = api->post_json("/v1/holds", body);
    if (!made) return refuse(context, made.error());
    context.terminal.line(context.json ? made->dump(2) : text_of(*made, "id"));
    return 0;
}

int resume(const CommandContext& context, const std::string& hold_id) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    const auto lifted = api->send("DELETE", "/v1/holds/" + hold_id);
    return lifted ? 0 : refuse(context, lifted.error());
}

int set_share(const CommandContext& context, const ShareOptions& options) {
    json body = {{"weight", options.weight}};
    if (options.cap) body["cap"] = *options.cap;
    if (options.quota_seconds) {
        body["quota"] = {{"seconds", *options.quota_seconds}, {"period", options.quota_period}};
    }
    return put(context, "/v1/teams/" + options.team + "/shares/" + options.device_class, body);
}

int set_limits(const CommandContext& context, const LimitOptions& options) {
    const auto number = [](const std::optional<int>& most) {
        return most ? json(*most) : json(nullptr);
    };
    return put(context, "/v1/teams/" + options.team + "/limits",
               {{"queued_jobs", number(options.queued_jobs)},
                {"jobs_per_minute", number(options.jobs_per_minute)}});
}

int set_device_class(const CommandContext& context, const ClassOptions& options) {
    return put(context, "/v1/device-classes/" + options.device_class,
               {{"half_life_seconds", options.half_life_seconds},
                {"entry_limit_seconds", options.entry_limit_seconds}});
}

void add_hold(CLI::App& group, const char* mode, const char* help, CommandContext& context) {
    const auto options = std::make_shared<HoldOptions>();
    auto* command = group.add_subcommand(mode, help);
    auto* subject = command->add_option_group("subject", "What to stop");
    subject->add_option("--team", options->team, "A team, by its id");
    subject->add_option("--class", options->device_class, "A device class");
    subject->add_option("--node", options->node, "A machine");
    subject->require_option(1);
    command->add_option("--device", options->device, "One device of the node");
    command->add_option("--reason", options->reason, "For everybody whose jobs wait for it")
        ->required();
    command->callback(
        [&context, options, mode] { context.exit_code = hold(context, mode, *options); });
}

void add_resume(CLI::App& group, CommandContext& context) {
    const auto id = std::make_shared<std::string>();
    auto* command = group.add_subcommand("resume", "Lift a pause or a drain");
    command->add_option("hold", *id, "Its id")->required();
    command->callback([&context, id] { context.exit_code = resume(context, *id); });
}

void add_share(CLI::App& group, CommandContext& context) {
    const auto options = std::make_shared<ShareOptions>();
    auto* command = group.add_subcommand("share", "Set a team's share of a device class, whole");
    command->add_option("team", options->team, "The team's id")->required();
    command->add_option("class", options->device_class, "The device class")->required();
    command->add_option("--weight", options->weight, "Its part beside other teams'");
    command->add_option("--cap", options->cap, "Devices at once; none when left out");
    command->add_option("--quota-seconds", options->quota_seconds,
                        "Device-seconds in a period; none when left out");
    command->add_option("--quota-period", options->quota_period, "hour, day, week or month")
        ->check(CLI::IsMember({"hour", "day", "week", "month"}));
    command->callback([&context, options] { context.exit_code = set_share(context, *options); });
}

void add_limit(CLI::App& group, CommandContext& context) {
    const auto options = std::make_shared<LimitOptions>();
    auto* command = group.add_subcommand("limit", "Set a team's limits on jobs, both");
    command->add_option("team", options->team, "The team's id")->required();
    command->add_option("--queued-jobs", options->queued_jobs,
                        "Jobs that have not started; any number when left out");
    command->add_option("--jobs-per-minute", options->jobs_per_minute,
                        "Jobs submitted in a minute; any number when left out");
    command->callback([&context, options] { context.exit_code = set_limits(context, *options); });
}

void add_class(CLI::App& group, CommandContext& context) {
    const auto options = std::make_shared<ClassOptions>();
    auto* command = group.add_subcommand("class", "Set how long a class remembers use");
    command->add_option("class", options->device_class, "The device class")->required();
    command
        ->add_option("--half-life", options->half_life_seconds,
                     "Seconds after which use counts half")
        ->required();
    command
        ->add_option("--entry-limit", options->entry_limit_seconds,
                     "Device-seconds that a heavy user starts later at most")
        ->required();
    command->callback(
        [&context, options] { context.exit_code = set_device_class(context, *options); });
}

}  // namespace

void add_queue(CLI::App& app, CommandContext& context) {
    auto* group = app.add_subcommand("queue", "See and change who may use how much");
    group->require_subcommand(1);
    group->fallthrough();
    group->add_subcommand("show", "Show shares, quotas and what is stopped")->callback([&context] {
        context.exit_code = show(context);
    });
    add_hold(*group, "pause", "Let nothing start; what runs goes on", context);
    add_hold(*group, "drain", "The same, to wait until nothing runs", context);
    add_resume(*group, context);
    add_share(*group, context);
    add_limit(*group, context);
    add_class(*group, context);
}

}  // namespace plimsoll::cli
