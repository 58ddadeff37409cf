// Endpoints of schedules.
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
constexpr std::string_view kNoRun = "The run was not found.";

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
Outcome<std::optional<Timestamp>> runs_cursor(const Call& call) {
    const auto text = call.parameters.text("cursor");
    if (!text) return std::nullopt;
    const auto time = parse_rfc3339(*text);
    if (!time) return tl::unexpected(invalid_cursor());
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

    awaitable<Outcome<Response>> list(const Call& call) const {
        const auto found = co_await store_.list(call.principal.team.id);
        if (!found) co_return tl::unexpected<Problem>(found.error());
        auto items = json::array();
        for (const auto& one : *found) items.push_back(schedule_json(one, clock_.now(), false));
        // Names may repeat.
        co_return list_response(call, std::move(items), [](const json& item) {
            return item.at("name").get<std::string>() + ' ' + item.at("id").get<std::string>();
        });
    }

    awaitable<Outcome<Response>> get(const Call& call) const {
        const auto id = id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        co_return shown(200, co_await store_.get(call.principal.team.id, *id));
    }

    awaitable<Outcome<Response>> create(const Call& call) const {
        const auto next = co_await check(call);
        if (!next) co_return tl::unexpected(next.error());
        const auto made = co_await store_.create(author_of(call), settings_of(call.body), *next);
        if (!made) co_return tl::unexpected<Problem>(made.error());
        auto response = schedule_response(201, *made, clock_.now());
        response.with("Location", "/v1/schedules/" + to_public(made->id));
        co_return response;
    }

    awaitable<Outcome<Response>> replace(const Call& call) const {
        const auto id = id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto next = co_await check(call);
        if (!next) co_return tl::unexpected(next.error());
        co_return shown(200, co_await store_.replace(author_of(call), *id, settings_of(call.body),
                                                     *next, version_of(call)));
    }

    awaitable<Outcome<Response>> pause(const Call& call) const {
        const auto id = id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        co_return shown(200, co_await store_.pause(author_of(call), *id));
    }

    awaitable<Outcome<Response>> resume(const Call& call) const {
        const auto id = id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto stored = co_await store_.get(call.principal.team.id, *id);
        if (!stored) co_return tl::unexpected<Problem>(stored.error());
        const auto rules = Rules::read(stored->settings.cron, stored->settings.time_zone);
        if (!rules) co_return tl::unexpected(rules.error());
        co_return shown(
            200, co_await store_.resume(author_of(call), *id, rules->next_after(clock_.now())));
    }

    awaitable<Outcome<Response>> remove(const Call& call) const {
        const auto id = id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto removed = co_await store_.remove(author_of(call), *id);
        if (!removed) co_return tl::unexpected<Problem>(removed.error());
        co_return empty_response(204);
    }

    awaitable<Outcome<Response>> runs(const Call& call) const {
        const auto id = id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto before = runs_cursor(call);
        if (!before) co_return tl::unexpected(before.error());
        const auto limit = page_limit(call);
        auto found =
            co_await store_.runs(call.principal.team.id, *id, *before, static_cast<int>(limit) + 1);
        if (!found) co_return tl::unexpected<Problem>(found.error());
        std::optional<std::string> next;
        if (found->size() > limit) {
            found->resize(limit);
            next = to_rfc3339(found->back().due_at);
        }
        JsonWriter page;
        page.begin_object().key("items").begin_array();
        for (const auto& run : *found) page.json(to_text(run_json(run)));
        page.end_array();
        co_return page_response(call, std::move(page), next);
    }

    // A run is identified by its due time, to the millisecond.
    awaitable<Outcome<Response>> run(const Call& call) const {
        const auto id = id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto due_at = parse_rfc3339(call.parameters.text("due_at").value_or(""));
        if (!due_at) co_return refuse(404, std::string(kNoRun));
        const auto moment = std::chrono::floor<std::chrono::milliseconds>(*due_at);
        const auto found = co_await store_.runs(call.principal.team.id, *id,
                                                moment + std::chrono::milliseconds(1), 1);
        if (!found) co_return tl::unexpected<Problem>(found.error());
        if (found->empty() || found->front().due_at < moment) {
            co_return refuse(404, std::string(kNoRun));
        }
        co_return json_response(200, run_json(found->front()));
    }

    awaitable<Outcome<Response>> run_now(const Call& call) const {
        const auto id = id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto stored = co_await store_.get(call.principal.team.id, *id);
        if (!stored) co_return tl::unexpected<Problem>(stored.error());
        auto answer = co_await planned(call, *stored);
        if (!answer) co_return tl::unexpected(std::move(answer.error()));
        const auto answered = co_await store_.run_now(author_of(call), std::move(*answer));
        if (!answered) co_return tl::unexpected<Problem>(answered.error());
        if (answered->outcome == "key_conflict") co_return tl::unexpected(key_used());
        if (answered->outcome == "changed") {
            co_return refuse(409, "Someone else changed the schedule at the same time.");
        }
        if (!answered->job) {
            co_return refuse(
                409, "The job was not submitted: an unfinished job has the same unique key.");
        }
        auto response = json_response(202, {{"job_id", plimsoll::to_public(*answered->job)},
                                            {"due_at", to_rfc3339(answered->due_at)}});
        response.with("Location", job_path(*answered->job));
        if (answered->outcome == "replayed") response.with("Idempotency-Replayed", "true");
        co_return response;
    }

    awaitable<Outcome<Response>> preview(const Call& call) const {
        const auto rules = Rules::read(call.body.at("cron"), call.body.value("time_zone", "UTC"));
        if (!rules) co_return tl::unexpected(rules.error());
        co_return json_response(200, {{"items", rules->next_json(clock_.now(), kPreviewedRuns)}});
    }

  private:
    static Outcome<ScheduleId> id_of(const Call& call) {
        return schedule_id_of(call.parameters.text("schedule_id"));
    }

    Outcome<Response> shown(int status, const Result<Schedule>& schedule) const {
        if (!schedule) return tl::unexpected<Problem>(schedule.error());
        return schedule_response(status, *schedule, clock_.now());
    }

    // The next due time of the body's schedule, or all its errors: the job is planned as if it were
    // submitted.
    awaitable<Outcome<Timestamp>> check(const Call& call) const {
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
            if (problem.status != 422) co_return tl::unexpected(std::move(problem));
            for (auto& error : problem.errors) {
                error.pointer.insert(0, "/job");
                wrong.errors.push_back(std::move(error));
            }
        }
        if (!wrong.errors.empty()) co_return tl::unexpected(std::move(wrong));
        co_return *next;
    }

    awaitable<Outcome<schedules::Answer>> planned(const Call& call,
                                                  const Schedule& schedule) const {
        const auto spec = json::parse(schedule.settings.spec);
        const auto* kind = planner_.kind(spec.at("kind").get<std::string>());
        if (kind == nullptr) co_return refuse(409, "This server no longer supports this job kind.");
        const auto team = call.principal.team.id;
        auto plan = co_await planner_.plan(team, {*kind, spec.at("args")}, true);
        if (!plan) co_return tl::unexpected(refused(plan.error()));
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

    static Problem key_used() {
        Problem problem(422, "This Idempotency-Key was used with another request.");
        problem.slug = "idempotency-mismatch";
        problem.errors.push_back({{}, "Idempotency-Key", "was used with another request"});
        return problem;
    }

    schedules::ScheduleStore& store_;
    planning::Planner& planner_;
    const Clock& clock_;
};

}  // namespace

void add_schedules(Handlers& handlers, schedules::ScheduleStore& store, planning::Planner& planner,
                   const Clock& clock) {
    const auto all = std::make_shared<const Schedules>(store, planner, clock);
    handlers["listSchedules"] = [all](const Call& call) { return all->list(call); };
    handlers["createSchedule"] = [all](const Call& call) { return all->create(call); };
    handlers["getSchedule"] = [all](const Call& call) { return all->get(call); };
    handlers["replaceSchedule"] = [all](const Call& call) { return all->replace(call); };
    handlers["deleteSchedule"] = [all](const Call& call) { return all->remove(call); };
    handlers["pauseSchedule"] = [all](const Call& call) { return all->pause(call); };
    handlers["resumeSchedule"] = [all](const Call& call) { return all->resume(call); };
    handlers["listScheduleRuns"] = [all](const Call& call) { return all->runs(call); };
    handlers["getScheduleRun"] = [all](const Call& call) { return all->run(call); };
    handlers["createScheduleRun"] = [all](const Call& call) { return all->run_now(call); };
    handlers["previewSchedule"] = [all](const Call& call) { return all->preview(call); };
}

}  // namespace plimsoll::http::endpoints
