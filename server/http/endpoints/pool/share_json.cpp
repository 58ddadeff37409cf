#include "server/http/endpoints/pool/share_json.hpp"

#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/json_values.hpp"

namespace plimsoll::http::endpoints {

using nlohmann::json;

json editable_share(const queue::Share& share) {
    json quota;
    if (share.terms.quota) {
        quota = {{"seconds", share.terms.quota->seconds}, {"period", share.terms.quota->period}};
    }
    return {{"weight", share.terms.weight},
            {"cap", share.terms.cap ? json(*share.terms.cap) : json(nullptr)},
            {"quota", std::move(quota)}};
}

json share_json(const queue::Share& share) {
    json quota;
    if (share.terms.quota) {
        quota = {{"seconds", share.terms.quota->seconds},
                 {"period", share.terms.quota->period},
                 {"used_seconds", share.quota_used},
                 {"renews_at", time_or_null(share.quota_renews_at)},
                 {"exhausted", share.quota_exhausted}};
    }
    return {{"team", {{"id", to_public(share.team)}, {"name", share.team_name}}},
            {"device_class", share.device_class},
            {"weight", share.terms.weight},
            {"cap", share.terms.cap ? json(*share.terms.cap) : json(nullptr)},
            {"devices_used", share.slots},
            {"tasks_ready", share.ready},
            {"used_seconds", share.used_seconds},
            {"used_share", share.used_share},
            {"fair_share", share.fair_share},
            {"quota", std::move(quota)},
            {"paused", share.paused},
            {"version", content_version(editable_share(share))}};
}

json hold_json(const queue::Hold& hold) {
    json team;
    if (hold.scope == "team") {
        team = {{"id", to_public(TeamId{std::stoll(hold.subject)})}, {"name", hold.team_name}};
    }
    return {{"id", public_hold(hold.id)},
            {"scope", hold.scope},
            {"team", std::move(team)},
            {"device_class", hold.scope == "device_class" ? json(hold.subject) : json(nullptr)},
            {"node", text_or_null(hold.node)},
            {"device", text_or_null(hold.device)},
            {"mode", hold.mode},
            {"reason", hold.reason},
            {"created_by", text_or_null(hold.by_name)},
            {"created_by_administrator", hold.by_admin},
            {"created_at", to_rfc3339(hold.at)},
            {"tasks_running", hold.running}};
}

json editable_class(const queue::ClassOverview& overview) {
    return {{"half_life_seconds", overview.half_life_seconds},
            {"entry_limit_seconds", overview.entry_limit_seconds}};
}

json class_json(const queue::ClassOverview& overview) {
    return {{"device_class", overview.device_class},
            {"half_life_seconds", overview.half_life_seconds},
            {"entry_limit_seconds", overview.entry_limit_seconds},
            {"devices", overview.devices},
            {"tasks_ready", overview.ready},
            {"tasks_running", overview.running},
            {"tasks_waiting", overview.waiting},
            {"version", content_version(editable_class(overview))}};
}

json editable_limit(const queue::TeamLimit& limit) {
    const auto number = [](const std::optional<int>& most) {
        return most ? json(*most) : json(nullptr);
    };
    return {{"queued_jobs", number(limit.limits.queued_jobs)},
            {"jobs_per_minute", number(limit.limits.jobs_per_minute)}};
}

json limit_json(const queue::TeamLimit& limit) {
    auto shown = editable_limit(limit);
    shown["version"] = content_version(shown);
    shown["team_id"] = to_public(limit.team);
    shown["queued"] = limit.queued;
    return shown;
}

json warnings_json(const std::vector<queue::VacuumHolder>& holders) {
    auto warnings = json::array();
    for (const auto& one : holders) {
        if (one.seconds < queue::VacuumHolder::kReportAfterSeconds) continue;
        warnings.push_back(
            {{"code", one.holder == "replication_log" ? "wal_retained" : "vacuum_blocked"},
             {"detail", queue::describe(one)},
             {"since", to_rfc3339(one.since)}});
    }
    return warnings;
}

std::string public_hold(std::int64_t id) {
    return public_id("hold", id);
}

std::optional<std::int64_t> parse_hold(const std::string& text) {
    return parse_public_id("hold", text);
}

}  // namespace plimsoll::http::endpoints
