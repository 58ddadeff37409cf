#include "server/cli/rest_commands.hpp"
#include "server/terminal/members.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace plimsoll::client {
namespace {

using nlohmann::json;

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

void print(const Session& session, std::vector<std::vector<std::string>> rows, const json& items,
           std::vector<std::string> (*row_of)(const json&)) {
    for (const auto& item : items) rows.push_back(row_of(item));
    if (rows.size() > 1) session.terminal.line(format_table(session.terminal, rows));
}

int put(const Session& session, const std::string& target, const json& body) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    const auto reply =
        api->send("PUT", target, body.dump(), {{"content-type", "application/json"}});
    if (!reply) return report_error(session, reply.error());
    if (session.json) session.terminal.line(json::parse(reply->body).dump(2));
    return 0;
}

}  // namespace

int show_queue(const Session& session) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    const auto queue = api->get_json("/v1/queue");
    if (!queue) return report_error(session, queue.error());
    if (session.json) {
        session.terminal.line(queue->dump(2));
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
    session.terminal.line(format_table(session.terminal, classes));
    print(session,
          {{"TEAM", "NAME", "CLASS", "WEIGHT", "USED", "DUE", "DEVICES", "QUOTA", "READY"}},
          queue->at("shares"), share_row);
    print(session, {{"LIMITS OF", "WAITING", "OF AT MOST", "JOBS A MINUTE"}}, queue->at("limits"),
          limit_row);
    print(session, {{"HOLD", "OF", "MODE", "RUNNING", "BY", "SINCE", "REASON"}}, queue->at("holds"),
          hold_row);
    return 0;
}

int hold(const Session& session, const HoldOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    json body = {{"mode", options.mode}, {"reason", options.reason}};
    const auto name = [&](const char* member, const std::string& value) {
        if (!value.empty()) body[member] = value;
    };
    name("team_id", options.team);
    name("device_class", options.device_class);
    name("node", options.node);
    name("device", options.device);
    const auto made = api->post_json("/v1/holds", body);
    if (!made) return report_error(session, made.error());
    session.terminal.line(session.json ? made->dump(2) : text_of(*made, "id"));
    return 0;
}

int resume(const Session& session, const std::string& hold_id) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    const auto lifted = api->send("DELETE", "/v1/holds/" + hold_id);
    return lifted ? 0 : report_error(session, lifted.error());
}

int set_share(const Session& session, const ShareOptions& options) {
    json body = {{"weight", options.weight}};
    if (options.cap) body["cap"] = *options.cap;
    if (options.quota_seconds) {
        body["quota"] = {{"seconds", *options.quota_seconds}, {"period", options.quota_period}};
    }
    return put(session, "/v1/teams/" + options.team + "/shares/" + options.device_class, body);
}

int set_limits(const Session& session, const LimitOptions& options) {
    const auto number = [](const std::optional<int>& most) {
        return most ? json(*most) : json(nullptr);
    };
    return put(session, "/v1/teams/" + options.team + "/limits",
               {{"queued_jobs", number(options.queued_jobs)},
                {"jobs_per_minute", number(options.jobs_per_minute)}});
}

int set_device_class(const Session& session, const std::string& device_class,
                     double half_life_seconds, double entry_limit_seconds) {
    return put(
        session, "/v1/device-classes/" + device_class,
        {{"half_life_seconds", half_life_seconds}, {"entry_limit_seconds", entry_limit_seconds}});
}

}  // namespace plimsoll::client
