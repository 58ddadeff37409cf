// Endpoints of schedules.
#include "server/http/api/idempotency.hpp"
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/automation/schedule_json.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/messages/fingerprint.hpp"
#include "server/http/messages/limits.hpp"

#include <charconv>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;
using schedules::Schedule;
using schedules::ScheduleId;

namespace {

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
        if (answered.outcome == "changed") {
            throw Refused(409, "Someone else changed the schedule at the same time.");
        }
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
        if (!rules) {
            wrong.errors = rules.error().errors;
        } else if (next = rules->next_after(clock_.now()); !next) {
            wrong.errors.push_back({"/cron", {}, "is never due: the day does not exist"});
        }
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
        auto job = planning::new_job(team, call.principal.user.id, *kind, spec);
        job.plan = std::move(plan->plan);
        if (auto key = call.parameters.text("Idempotency-Key")) {
            job.idempotency = {std::move(*key), fingerprint(to_public(schedule.id))};
        }
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
