#include "server/http/endpoints/automation/schedule_json.hpp"

#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/query.hpp"

#include <array>
#include <cstdio>

namespace plimsoll::http::endpoints {

using nlohmann::json;
using schedules::Schedule;

namespace {

constexpr std::size_t kShownRuns = 5;

std::int64_t seconds_of(Timestamp time) {
    return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

Timestamp time_of(std::int64_t seconds) {
    return Timestamp(std::chrono::seconds(seconds));
}

// "2026-03-29T03:00:00+02:00"
std::string local_text(std::int64_t time, const schedules::Zone& zone) {
    const auto offset = zone.offset(time);
    auto text = to_rfc3339(time_of(time + offset)).substr(0, 19);
    const auto minutes = (offset < 0 ? -offset : offset) / 60;
    std::array<char, 8> shift{};
    std::snprintf(shift.data(), shift.size(), "%c%02d:%02d", offset < 0 ? '-' : '+',
                  static_cast<int>(minutes / 60 % 100), static_cast<int>(minutes % 60));
    return text + shift.data();
}

}  // namespace

Outcome<Rules> Rules::read(const std::string& cron_text, const std::string& time_zone) {
    auto cron = schedules::Cron::parse(cron_text);
    if (!cron) return tl::unexpected(invalid_member("/cron", cron.error().message));
    auto zone = schedules::Zone::named(time_zone);
    if (!zone) return tl::unexpected(invalid_member("/time_zone", zone.error().message));
    return Rules{*cron, *zone};
}

std::optional<Timestamp> Rules::next_after(Timestamp time) const {
    const auto next = next_due(cron, zone, seconds_of(time));
    return next ? std::optional(time_of(*next)) : std::nullopt;
}

json Rules::next_json(Timestamp after, std::size_t count) const {
    auto times = json::array();
    for (const auto time : next_dues(cron, zone, seconds_of(after), count)) {
        times.push_back({{"at", to_rfc3339(time_of(time))}, {"local", local_text(time, zone)}});
    }
    return times;
}

json schedule_json(const Schedule& schedule, Timestamp now, bool whole) {
    const auto& settings = schedule.settings;
    auto spec = json::parse(settings.spec);
    const auto rules = Rules::read(settings.cron, settings.time_zone);
    json shown = {
        {"id", to_public(schedule.id)},
        {"name", settings.name},
        {"kind", spec.at("kind")},
        {"cron", settings.cron},
        {"time_zone", settings.time_zone},
        {"misfire", to_string(settings.misfire)},
        {"misfire_limit", settings.misfire_limit},
        {"overlap", to_string(settings.overlap)},
        {"paused_at", time_or_null(schedule.paused_at)},
        {"next_runs",
         rules && !schedule.paused_at ? rules->next_json(now, kShownRuns) : json::array()},
        {"version", std::to_string(schedule.version)},
        {"user", {{"id", plimsoll::to_public(schedule.user)}, {"name", schedule.user_name}}},
        {"created_at", to_rfc3339(schedule.created_at)},
        {"updated_at", to_rfc3339(schedule.updated_at)}};
    if (whole) shown["job"] = std::move(spec);
    return shown;
}

json run_json(const schedules::Run& run) {
    json triggered_by = nullptr;
    if (run.by_user) {
        triggered_by = {{"id", plimsoll::to_public(*run.by_user)}, {"name", run.by_user_name}};
    }
    return {{"due_at", to_rfc3339(run.due_at)},
            {"triggered_by", std::move(triggered_by)},
            {"outcome", run.outcome},
            {"job_id", run.job ? json(plimsoll::to_public(*run.job)) : json(nullptr)},
            {"job_state", text_or_null(run.job_state)},
            {"reason", text_or_null(run.reason)},
            {"missed", run.missed},
            {"decided_at", to_rfc3339(run.decided_at)}};
}

schedules::ScheduleId schedule_id_of(const std::optional<std::string>& text) {
    return parse_id<schedules::ScheduleId>("sched", text, "The schedule was not found.");
}

}  // namespace plimsoll::http::endpoints
