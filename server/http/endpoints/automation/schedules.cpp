// Endpoints of schedules.
#include "engine/base/json.hpp"
#include "server/http/api/idempotency.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/http/messages/fingerprint.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/messages/problem.hpp"
#include "server/schedules/schedule.hpp"
#include "server/schedules/times.hpp"

#include <array>
#include <charconv>
#include <cstdio>

namespace plimsoll::http::endpoints {

using schedules::Schedule;
using schedules::ScheduleId;

namespace {

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

constexpr std::size_t kShownRuns = 5;

std::int64_t seconds_of(Timestamp time) {
    return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

Timestamp time_of(std::int64_t seconds) { return Timestamp(std::chrono::seconds(seconds)); }

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
    for (const auto time : next_dues(cron, zone, seconds_of(after), count))
        times.push_back({{"at", to_rfc3339(time_of(time))}, {"local", local_text(time, zone)}});
    return times;
}

// `whole`: include the job spec, which lists omit.
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
    if (run.by_user)
        triggered_by = {{"id", plimsoll::to_public(*run.by_user)}, {"name", run.by_user_name}};
    return {{"due_at", to_rfc3339(run.due_at)},
            {"triggered_by", std::move(triggered_by)},
            {"outcome", run.outcome},
            {"job_id", run.job ? json(plimsoll::to_public(*run.job)) : json(nullptr)},
            {"job_state", text_or_null(run.job_state)},
            {"reason", text_or_null(run.reason)},
            {"missed", run.missed},
            {"decided_at", to_rfc3339(run.decided_at)}};
}

// 404 for a malformed id.
schedules::ScheduleId schedule_id_of(const std::optional<std::string>& text) {
    return parse_id<schedules::ScheduleId>("sched", text, "The schedule was not found.");
}

constexpr std::size_t kPreviewedRuns = 5;

schedules::Settings settings_of(const json& body) {
    return {body.at("name"),
            body.at("job").dump(),
            body.at("cron"),
            body.value("time_zone", "UTC"),
            schedules::parse_misfire(body.value("misfire", "once")),
            body.value("misfire_limit", 10),
            schedules::parse_overlap(body.value("overlap", "skip"))};
}

Response schedule_response(int status, const Schedule& schedule, Timestamp now) {
    auto response = json_response(status, schedule_json(schedule, now, true));
    response.with("ETag", '"' + std::to_string(schedule.version) + '"');
    return response;
}

// The cursor of a page of runs: the due time of the previous page's last run.
std::optional<Timestamp> runs_cursor(const Call& call) {
    const auto text = call.parameters.text("cursor");
    if (!text) return std::nullopt;
    const auto time = parse_rfc3339(*text);
    if (!time) throw Refused(invalid_cursor());
    return *time;
}

// A schedule counts its versions, which are its ETags; 0: not one of them.
std::optional<int> version_of(const Call& call) {
    const auto tag = call.parameters.text("If-Match");
    if (!tag) return std::nullopt;
    int version = 0;
    std::from_chars(tag->data() + 1, tag->data() + tag->size() - 1, version);
    return version;
}

class Schedules {
  public:
    Schedules(schedules::ScheduleStore& store, planning::Planner& planner, const Clock& clock)
        : store_(store), planner_(planner), clock_(clock) {}

    awaitable<Response> list(const Call& call) const {
        const auto found = need(co_await store_.list(call.principal.team.id));
        auto items = json::array();
        for (const auto& one : found) items.push_back(schedule_json(one, clock_.now(), false));
        // Names may repeat.
        co_return list_response(call, std::move(items), [](const json& item) {
            return item.at("name").get<std::string>() + ' ' + item.at("id").get<std::string>();
        });
    }

    awaitable<Response> get(const Call& call) const {
        const auto id = id_of(call);
        co_return shown(need(co_await store_.get(call.principal.team.id, id)));
    }

    awaitable<Response> create(const Call& call) const {
        const auto next = co_await check(call);
        const auto made =
            need(co_await store_.create(author_of(call), settings_of(call.body), next));
        co_return located(schedule_response(201, made, clock_.now()),
                          "/v1/schedules/" + to_public(made.id));
    }

    awaitable<Response> replace(const Call& call) const {
        const auto id = id_of(call);
        const auto next = co_await check(call);
        co_return shown(need(co_await store_.replace(author_of(call), id, settings_of(call.body),
                                                     next, version_of(call))));
    }

    awaitable<Response> pause(const Call& call) const {
        const auto id = id_of(call);
        co_return shown(need(co_await store_.pause(author_of(call), id)));
    }

    awaitable<Response> resume(const Call& call) const {
        const auto id = id_of(call);
        const auto stored = need(co_await store_.get(call.principal.team.id, id));
        const auto rules = need(Rules::read(stored.settings.cron, stored.settings.time_zone));
        co_return shown(
            need(co_await store_.resume(author_of(call), id, rules.next_after(clock_.now()))));
    }

    awaitable<Response> remove(const Call& call) const {
        const auto id = id_of(call);
        need(co_await store_.remove(author_of(call), id));
        co_return empty_response(204);
    }

    awaitable<Response> runs(const Call& call) const {
        const auto id = id_of(call);
        const auto before = runs_cursor(call);
        auto found =
            need(co_await store_.runs(call.principal.team.id, id, before, peek_limit(call)));
        co_return page_response(call, std::move(found), run_json,
                                [](const auto& run) { return to_rfc3339(run.due_at); });
    }

    awaitable<Response> run_now(const Call& call) const {
        const auto id = id_of(call);
        const auto stored = need(co_await store_.get(call.principal.team.id, id));
        auto answer = co_await planned(call, stored);
        const auto answered = need(co_await store_.run_now(author_of(call), std::move(answer)));
        if (answered.outcome == "key_conflict") throw Refused(idempotency_mismatch());
        if (answered.outcome == "changed")
            throw Refused(409, "Someone else changed the schedule at the same time.");
        if (!answered.job) {
            throw Refused(409,
                          "The job was not submitted: an unfinished job has the same unique key.");
        }
        auto response = json_response(202, {{"job_id", plimsoll::to_public(*answered.job)},
                                            {"due_at", to_rfc3339(answered.due_at)}});
        response.with("Location", job_path(*answered.job));
        if (answered.outcome == "replayed") response.with("Idempotency-Replayed", "true");
        co_return response;
    }

    awaitable<Response> preview(const Call& call) const {
        const auto rules =
            need(Rules::read(call.body.at("cron"), call.body.value("time_zone", "UTC")));
        co_return json_response(200, {{"items", rules.next_json(clock_.now(), kPreviewedRuns)}});
    }

  private:
    static ScheduleId id_of(const Call& call) {
        return schedule_id_of(call.parameters.text("schedule_id"));
    }

    Response shown(const Schedule& schedule) const {
        return schedule_response(200, schedule, clock_.now());
    }

    // The next due time of the body's schedule, or all its errors: the job is planned as if it were
    // submitted.
    awaitable<Timestamp> check(const Call& call) const {
        const auto& job = call.body.at("job");
        Problem wrong(422, "The schedule is invalid.");
        const auto rules = Rules::read(call.body.at("cron"), call.body.value("time_zone", "UTC"));
        std::optional<Timestamp> next;
        if (!rules)
            wrong.errors = rules.error().errors;
        else if (next = rules->next_after(clock_.now()); !next)
            wrong.errors.push_back({"/cron", {}, "is never due: the day does not exist"});
        if (call.body.contains("misfire_limit") && call.body.value("misfire", "once") != "all") {
            wrong.errors.push_back(
                {"/misfire_limit", {}, "only applies to \"misfire\": \"all\": omit it"});
        }
        for (const auto* member : {"run_at", "deadline"}) {
            if (!job.contains(member)) continue;
            wrong.errors.push_back({"/job/" + std::string(member),
                                    {},
                                    "is not allowed: the schedule sets when its jobs run"});
        }
        const auto& kind = *planner_.kind(job.at("kind").get_ref<const std::string&>());
        const auto planned =
            co_await planner_.plan(call.principal.team.id, {kind, job.at("args")},
                                   call.request.body.size() > limits::kInlineBytes);
        if (!planned) {
            auto problem = refused(planned.error());
            if (problem.status != 422) throw Refused(std::move(problem));
            for (auto& error : problem.errors) {
                error.pointer.insert(0, "/job");
                wrong.errors.push_back(std::move(error));
            }
        }
        if (!wrong.errors.empty()) throw Refused(std::move(wrong));
        co_return *next;
    }

    awaitable<schedules::Answer> planned(const Call& call, const Schedule& schedule) const {
        const auto spec = json::parse(schedule.settings.spec);
        const auto* kind = planner_.kind(spec.at("kind").get<std::string>());
        if (kind == nullptr) throw Refused(409, "This server no longer supports this job kind.");
        const auto team = call.principal.team.id;
        auto plan = co_await planner_.plan(team, {*kind, spec.at("args")}, true);
        if (!plan) throw Refused(refused(plan.error()));
        auto job =
            planning::new_job(team, call.principal.user.id, *kind, spec, call.request.span.context);
        job.plan = std::move(plan->plan);
        if (auto key = call.parameters.text("Idempotency-Key"))
            job.idempotency = {std::move(*key), fingerprint(to_public(schedule.id))};
        schedules::Answer answer;
        answer.schedule = schedule.id;
        answer.version = schedule.version;
        answer.way = schedules::Answer::Way::person;
        answer.user = call.principal.user.id;
        answer.submission = schedules::Submission{std::move(job), plan->dataset};
        co_return answer;
    }

    schedules::ScheduleStore& store_;
    planning::Planner& planner_;
    const Clock& clock_;
};

}  // namespace

void add_schedules(Handlers& handlers, schedules::ScheduleStore& store, planning::Planner& planner,
                   const Clock& clock) {
    const Members on(handlers, std::make_shared<const Schedules>(store, planner, clock));
    on("listSchedules", &Schedules::list);
    on("createSchedule", &Schedules::create);
    on("getSchedule", &Schedules::get);
    on("replaceSchedule", &Schedules::replace);
    on("deleteSchedule", &Schedules::remove);
    on("pauseSchedule", &Schedules::pause);
    on("resumeSchedule", &Schedules::resume);
    on("listScheduleRuns", &Schedules::runs);
    on("createScheduleRun", &Schedules::run_now);
    on("previewSchedule", &Schedules::preview);
}

}  // namespace plimsoll::http::endpoints
