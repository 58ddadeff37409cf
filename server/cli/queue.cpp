#include "server/cli/resource.hpp"

#include <cstdio>
#include <optional>

namespace plimsoll::cli {
namespace {

struct HoldOptions {
    std::string team;  // one of these three
    std::string device_class;
    std::string node;
    std::string device;  // of the node
    std::string reason;
};

// Bounds are numbers or kUnlimited; empty: as before.
constexpr const char* kUnlimited = "unlimited";

struct ShareOptions {
    std::string team;
    std::string device_class;
    std::optional<double> weight;
    std::string cap;
    std::string quota_seconds;
    std::string quota_period;
};

struct LimitOptions {
    std::string team;
    std::string queued_jobs;
    std::string jobs_per_minute;
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

std::string percent(double share) { return number(share * 100) + " %"; }

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
    if (rows.size() > 1)
        context.terminal.line(format_list(context.terminal, std::move(rows),
                                          {"TEAM", "RUNNING", "BY", "DEVICES", "WEIGHT"}));
}

void put(const CommandContext& context, client::ApiClient& api, const std::string& target,
         const json& body) {
    const auto answer = need(api.put_json(target, body));
    if (context.json) context.terminal.line(answer.dump(2));
}

void show_queue(const CommandContext& context) {
    auto api = need(client::signed_in());
    const auto queue = need(api.get_json("/v1/queue"));
    if (context.json) return context.terminal.line(queue.dump(2));
    const auto count = [](const json& of, const char* member) {
        return std::to_string(of.at(member).get<std::int64_t>());
    };
    std::vector<std::vector<std::string>> classes = {
        {"CLASS", "DEVICES", "READY", "RUNNING", "WAITING"}};
    for (const auto& one : queue.at("classes")) {
        classes.push_back({text_of(one, "device_class"), count(one, "devices"),
                           count(one, "tasks_ready"), count(one, "tasks_running"),
                           count(one, "tasks_waiting")});
    }
    context.terminal.line(format_table(context.terminal, classes));
    print(context,
          {{"TEAM", "NAME", "CLASS", "WEIGHT", "USED", "DUE", "DEVICES", "QUOTA", "READY"}},
          queue.at("shares"), share_row);
    print(context, {{"TEAM", "QUEUED", "LIMIT", "JOBS PER MINUTE"}}, queue.at("limits"), limit_row);
    print(context, {{"HOLD", "OF", "MODE", "RUNNING", "BY", "SINCE", "REASON"}}, queue.at("holds"),
          hold_row);
}

// The subject of a hold as the API has it.
json subject_body(client::ApiClient& api, const HoldOptions& options) {
    json body = json::object();
    if (!options.team.empty()) {
        auto id = need(client::id_of(api, client::kTeams, options.team));
        body["team_id"] = std::move(id);
    }
    const auto name = [&](const char* member, const std::string& value) {
        if (!value.empty()) body[member] = value;
    };
    name("device_class", options.device_class);
    name("node", options.node);
    name("device", options.device);
    return body;
}

void hold(const CommandContext& context, const char* mode, const HoldOptions& options) {
    auto api = need(client::signed_in());
    auto body = subject_body(api, options);
    body["mode"] = mode;
    body["reason"] = options.reason;
    const auto made = need(api.post_json("/v1/holds", body));
    print_answer(context, made, text_of(made, "id"));
}

bool is_of(const json& hold, const json& subject) {
    const auto same = [&](const char* member, const std::string& value) {
        return value == subject.value(member, "");
    };
    const auto& team = hold.at("team");
    return same("team_id", team.is_null() ? "" : text_of(team, "id")) &&
           same("device_class", text_of(hold, "device_class")) &&
           same("node", text_of(hold, "node")) && same("device", text_of(hold, "device"));
}

// The holds of a subject: several people may have paused the same team.
std::vector<std::string> holds_of(client::ApiClient& api, const HoldOptions& options) {
    const auto subject = subject_body(api, options);
    const auto queue = need(api.get_json("/v1/queue"));
    std::vector<std::string> ids;
    for (const auto& hold : queue.at("holds"))
        if (is_of(hold, subject)) ids.push_back(text_of(hold, "id"));
    if (ids.empty())
        throw Refused(Errc::not_found, "Nothing is paused or drained with this scope.");
    return ids;
}

void resume_hold(const CommandContext& context, const std::string& hold_id,
                 const HoldOptions& options) {
    auto api = need(client::signed_in());
    const auto ids = hold_id.empty() ? holds_of(api, options) : std::vector{hold_id};
    for (const auto& id : ids) need(api.send("DELETE", "/v1/holds/" + id));
    if (context.json) context.terminal.line(json{{"resumed", ids}}.dump(2));
}

json bound(const std::string& text) {
    return text == kUnlimited ? json(nullptr) : json::parse(text);
}

void set_share(const CommandContext& context, const ShareOptions& options) {
    auto api = need(client::signed_in());
    const auto id = need(client::id_of(api, client::kTeams, options.team));
    json body = {{"weight", 1}, {"cap", nullptr}};
    json quota = {{"period", "day"}};
    const auto queue = need(api.get_json("/v1/queue"));
    for (const auto& share : queue.at("shares")) {
        if (share.at("team").at("id") != id || share.at("device_class") != options.device_class)
            continue;
        body = {{"weight", share.at("weight")}, {"cap", share.at("cap")}};
        if (const auto& present = share.at("quota"); !present.is_null())
            quota = {{"seconds", present.at("seconds")}, {"period", present.at("period")}};
    }
    if (options.weight) body["weight"] = *options.weight;
    if (!options.cap.empty()) body["cap"] = bound(options.cap);
    if (!options.quota_seconds.empty()) quota["seconds"] = bound(options.quota_seconds);
    if (!options.quota_period.empty()) quota["period"] = options.quota_period;
    const bool limited = quota.contains("seconds") && !quota["seconds"].is_null();
    if (!limited && !options.quota_period.empty())
        throw Refused(Errc::invalid_input, "--quota-period has no effect without --quota-seconds.");
    if (limited) body["quota"] = quota;
    put(context, api, "/v1/teams/" + id + "/shares/" + options.device_class, body);
}

void set_limits(const CommandContext& context, const LimitOptions& options) {
    auto api = need(client::signed_in());
    const auto id = need(client::id_of(api, client::kTeams, options.team));
    const auto target = "/v1/teams/" + id + "/limits";
    const auto present = need(api.get_json(target));
    const auto chosen = [&](const char* member, const std::string& text) {
        return text.empty() ? present.at(member) : bound(text);
    };
    put(context, api, target,
        {{"queued_jobs", chosen("queued_jobs", options.queued_jobs)},
         {"jobs_per_minute", chosen("jobs_per_minute", options.jobs_per_minute)}});
}

void set_device_class(const CommandContext& context, const ClassOptions& options) {
    auto api = need(client::signed_in());
    return put(context, api, "/v1/device-classes/" + options.device_class,
               {{"half_life_seconds", options.half_life_seconds},
                {"entry_limit_seconds", options.entry_limit_seconds}});
}

CLI::App& add_subject(CLI::App& command, HoldOptions& options, const char* title) {
    auto& subject = *command.add_option_group(title, "Exactly one of");
    subject.add_option("--team", options.team, "Team, by name or ID");
    subject.add_option("--class", options.device_class, "Device class");
    auto* node = subject.add_option("--node", options.node, "Node");
    subject.require_option(1);
    command.add_option("--device", options.device, "With --node: only this device")->needs(node);
    return subject;
}

void add_hold(CLI::App& group, const char* mode, const char* help, CommandContext& context) {
    const auto options = std::make_shared<HoldOptions>();
    auto* command = group.add_subcommand(mode, help);
    add_subject(*command, *options, "Scope of the hold");
    command->add_option("--reason", options->reason, "Reason, shown to everyone whose jobs wait")
        ->required();
    command->callback([&context, options, mode] { hold(context, mode, *options); });
}

void add_resume(CLI::App& group, CommandContext& context) {
    const auto id = std::make_shared<std::string>();
    const auto options = std::make_shared<HoldOptions>();
    auto* command = group.add_subcommand("resume", "Lift a pause or a drain");
    auto& subject = add_subject(*command, *options, "Scope to resume");
    subject.add_option("hold", *id, "ID of the hold, as `queue show` lists it");
    command->callback([&context, id, options] { resume_hold(context, *id, *options); });
}

void add_bound(CLI::App& command, const char* flag, std::string& value, const char* help) {
    command.add_option(flag, value, std::string(help) + ", or \"unlimited\"")
        ->check([](const std::string& text) {
            const bool known = text == kUnlimited || json::parse(text, nullptr, false).is_number();
            return known ? std::string() : "must be a number or \"unlimited\"";
        });
}

void add_share(CLI::App& group, CommandContext& context) {
    const auto options = std::make_shared<ShareOptions>();
    auto* command = group.add_subcommand(
        "share", "Change a team's share of a device class; omitted flags change nothing");
    command->add_option("team", options->team, "Team, by name or ID")->required();
    command->add_option("class", options->device_class, "Device class")->required();
    command->add_option("--weight", options->weight, "Weight in the fair share");
    add_bound(*command, "--cap", options->cap, "Cap on devices in use at once");
    add_bound(*command, "--quota-seconds", options->quota_seconds,
              "Quota of device-seconds per period");
    command
        ->add_option("--quota-period", options->quota_period,
                     "Period of the quota: hour, day, week or month; a first one is per day")
        ->check(CLI::IsMember({"hour", "day", "week", "month"}));
    command->callback([&context, options] { set_share(context, *options); });
}

void add_limit(CLI::App& group, CommandContext& context) {
    const auto options = std::make_shared<LimitOptions>();
    auto* command = group.add_subcommand(
        "limit", "Change a team's limits on jobs; omitted flags change nothing");
    command->add_option("team", options->team, "Team, by name or ID")->required();
    add_bound(*command, "--queued-jobs", options->queued_jobs, "Maximum number of queued jobs");
    add_bound(*command, "--jobs-per-minute", options->jobs_per_minute,
              "Maximum number of jobs submitted per minute");
    command->callback([&context, options] { set_limits(context, *options); });
}

void add_class(CLI::App& group, CommandContext& context) {
    const auto options = std::make_shared<ClassOptions>();
    auto* command = group.add_subcommand("class", "Set how past usage counts in a device class");
    command->add_option("class", options->device_class, "Device class")->required();
    command
        ->add_option("--half-life", options->half_life_seconds,
                     "Half-life of past usage, in seconds")
        ->required();
    command
        ->add_option(
            "--entry-limit", options->entry_limit_seconds,
            "Maximum delay of a returning team that used more than the team next in turn, in "
            "device-seconds per unit of weight; 0: past usage does not count")
        ->required();
    command->callback([&context, options] { set_device_class(context, *options); });
}

}  // namespace

void add_queue(CLI::App& app, CommandContext& context) {
    auto* group = add_resource(app, "queue", "Show and change shares, quotas, limits and holds");
    group->add_subcommand("show", "Show shares, quotas, limits and holds")->callback([&context] {
        show_queue(context);
    });
    add_hold(*group, "pause", "Pause: start no new tasks", context);
    add_hold(*group, "drain", "Drain: finish running tasks and start no new ones, for maintenance",
             context);
    add_resume(*group, context);
    add_share(*group, context);
    add_limit(*group, context);
    add_class(*group, context);
}

}  // namespace plimsoll::cli
