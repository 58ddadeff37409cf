#pragma once

#include "server/http/messages/problem.hpp"
#include "server/schedules/schedule.hpp"
#include "server/schedules/times.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {

// When something is due, as the rules of a schedule say it.
struct Rules {
    schedules::Cron cron;
    schedules::Zone zone;

    // 422 that names "/cron" or "/time_zone".
    static Outcome<Rules> read(const std::string& cron, const std::string& time_zone);

    std::optional<Timestamp> next_after(Timestamp time) const;
    // {"at": in UTC, "local": with the zone's offset}, in order.
    nlohmann::json next_json(Timestamp after, std::size_t count) const;
};

// `whole`: with the job's spec; lists leave it out.
nlohmann::json schedule_json(const schedules::Schedule& schedule, Timestamp now, bool whole);
nlohmann::json run_json(const schedules::Run& run);

// 404 for what can be no schedule's id.
Outcome<schedules::ScheduleId> schedule_id_of(const std::optional<std::string>& text);

}  // namespace plimsoll::http::endpoints
