#pragma once

#include "server/http/messages/problem.hpp"
#include "server/schedules/schedule.hpp"
#include "server/schedules/times.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {

// The validated cron expression and time zone of a schedule.
struct Rules {
    schedules::Cron cron;
    schedules::Zone zone;

    // 422 that names "/cron" or "/time_zone".
    static Outcome<Rules> read(const std::string& cron, const std::string& time_zone);

    std::optional<Timestamp> next_after(Timestamp time) const;
    // {"at": in UTC, "local": with the zone's offset}, in order.
    nlohmann::json next_json(Timestamp after, std::size_t count) const;
};

// `whole`: include the job spec, which lists omit.
nlohmann::json schedule_json(const schedules::Schedule& schedule, Timestamp now, bool whole);
nlohmann::json run_json(const schedules::Run& run);

// 404 for a malformed id.
schedules::ScheduleId schedule_id_of(const std::optional<std::string>& text);

}  // namespace plimsoll::http::endpoints
