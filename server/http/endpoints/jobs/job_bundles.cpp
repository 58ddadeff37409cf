// Many jobs in one call: all or none, or each independently.
#include "engine/base/json.hpp"
#include "server/base/hex.hpp"
#include "server/base/offload.hpp"
#include "server/http/api/idempotency.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/messages/fingerprint.hpp"
#include "server/http/messages/limits.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

namespace {

using Specified = std::vector<Outcome<queue::NewJob>>;

// Each job of a bundle has its own key, made from the bundle's key and the job's place.
queue::IdempotencyKey key_of_item(const std::string& key, std::size_t index, const json& spec) {
    return {hex(fingerprint(key)) + "/" + std::to_string(index), fingerprint(spec.dump())};
}

json refusal(const Problem& problem) {
    json errors = json::array();
    for (const auto& error : problem.errors)
        errors.push_back({{"pointer", error.pointer}, {"detail", error.detail}});
    return {{"outcome", "refused"},
            {"job_id", nullptr},
            {"detail", problem.detail},
            {"errors", std::move(errors)}};
}

json stored(const queue::Submitted& job) {
    return {{"outcome", job.taken      ? "existing"
                        : job.replayed ? "replayed"
                                       : "created"},
            {"job_id", to_public(job.id)},
            {"detail", nullptr},
            {"errors", json::array()}};
}

class JobBundles {
  public:
    JobBundles(queue::JobStore& store, const planning::Planner& planner,
               boost::asio::thread_pool& pool, const Clock& clock)
        : store_(store), planner_(planner), pool_(pool), clock_(clock) {}

    awaitable<Response> create(const Call& call) const {
        const auto read_all = [&] { return specified(call); };
        auto planned = co_await offload(pool_, read_all);
        need(co_await plan(call, planned));
        const bool whole = call.body.value("mode", "all_or_nothing") == "all_or_nothing";
        std::vector<queue::NewJob> jobs;
        for (auto& job : planned)
            if (job) jobs.push_back(std::move(*job));
        if (whole && jobs.size() < planned.size())
            throw Refused(not_stored(422, answers_of(planned, {}, call, whole)));
        Outcomes outcomes;
        if (!jobs.empty()) outcomes = need(co_await store_.submit_all(std::move(jobs), whole));
        const auto answers = answers_of(planned, outcomes, call, whole);
        if (whole && std::ranges::any_of(answers, [](const auto& one) { return !one; }))
            throw Refused(not_stored(409, answers));
        co_return json_response(202, summary(answers));
    }

  private:
    using Outcomes = std::vector<Result<queue::Submitted>>;
    using Answers = std::vector<Outcome<queue::Submitted>>;

    // The jobs of the bundle, without their plans.
    Specified specified(const Call& call) const {
        const auto key = call.parameters.text("Idempotency-Key");
        Specified jobs;
        for (const auto& spec : call.body.at("jobs")) {
            auto job = job_of(call, spec);
            if (job && key) job->idempotency = key_of_item(*key, jobs.size(), spec);
            jobs.push_back(std::move(job));
        }
        return jobs;
    }

    Outcome<queue::NewJob> job_of(const Call& call, const json& spec) const {
        if (spec.at("args").contains("dataset")) {
            return tl::unexpected(refused_args(
                {{"/dataset", "dataset", "A job on a dataset must be submitted individually."}}));
        }
        auto job = planning::new_job(call.principal.team.id, call.principal.user.id, kind_of(spec),
                                     spec, call.request.span.context);
        TRY_DO(set_times(job, spec, clock_.now()));
        return job;
    }

    const jobs::Contract& kind_of(const json& spec) const {
        return *planner_.kind(spec.at("kind").get_ref<const std::string&>());
    }

    awaitable<Result<void>> plan(const Call& call, Specified& jobs) const {
        std::vector<planning::Arguments> given;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (!jobs[i]) continue;
            const auto& spec = call.body["jobs"][i];
            given.push_back({kind_of(spec), spec.at("args"), jobs[i]->run_at});
            places.push_back(i);
        }
        CO_TRY(auto plans, co_await planner_.plan_all(call.principal.team.id, given));
        for (std::size_t i = 0; i < places.size(); ++i) {
            auto& job = jobs[places[i]];
            if (auto& plan = plans[i])
                job->plan = std::move(*plan);
            else
                job = tl::unexpected(refused(plan.error()));
        }
        co_return Result<void>();
    }

    // The specs' answers in order; `outcomes` are of those that could be planned.
    Answers answers_of(const Specified& planned, const Outcomes& outcomes, const Call& call,
                       bool whole) const {
        Answers answers;
        auto outcome = outcomes.begin();
        for (const auto& job : planned) {
            const auto& spec = call.body["jobs"][answers.size()];
            if (!job) {
                answers.push_back(tl::unexpected(job.error()));
            } else if (outcome == outcomes.end()) {
                answers.push_back(queue::Submitted{});
            } else {
                answers.push_back(answer_of(
                    *outcome++, !whole && spec.contains("unique") && returns_existing(spec),
                    clock_.now()));
            }
        }
        return answers;
    }

    static Outcome<queue::Submitted> answer_of(const Result<queue::Submitted>& outcome,
                                               bool takes_holder, Timestamp now) {
        if (!outcome && outcome.error().code == Errc::conflict)
            return tl::unexpected(idempotency_mismatch());
        // Of a bundle that was not stored: no fault of this job.
        if (!outcome && outcome.error().code == Errc::cancelled) return queue::Submitted{};
        if (!outcome) return tl::unexpected<Problem>(outcome.error());
        if (outcome->over_quota) return tl::unexpected(over_quota(*outcome->over_quota, now));
        if (outcome->taken && !takes_holder) return tl::unexpected(not_unique(outcome->id));
        return *outcome;
    }

    // Names the jobs at fault, the first of them.
    static Problem not_stored(int status, const Answers& answers) {
        Problem problem(status, "Nothing was stored, because some of these jobs are invalid.");
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (answers[i]) continue;
            const auto job = "/jobs/" + std::to_string(i);
            const auto& refusal = answers[i].error();
            if (refusal.errors.empty()) problem.errors.push_back({job, {}, refusal.detail});
            for (const auto& error : refusal.errors)
                problem.errors.push_back({job + error.pointer, {}, error.detail});
            if (problem.errors.size() >= limits::kFieldErrors) break;
        }
        return problem;
    }

    static json summary(const Answers& answers) {
        json items = json::array();
        std::size_t created = 0;
        for (const auto& answer : answers) {
            if (answer) created += !answer->taken && !answer->replayed;
            items.push_back(answer ? stored(*answer) : refusal(answer.error()));
        }
        return {{"created", created}, {"items", std::move(items)}};
    }

    queue::JobStore& store_;
    const planning::Planner& planner_;
    boost::asio::thread_pool& pool_;
    const Clock& clock_;
};

}  // namespace

void add_job_bundles(Handlers& handlers, queue::JobStore& store, const planning::Planner& planner,
                     boost::asio::thread_pool& pool, const Clock& clock) {
    const Members on(handlers, std::make_shared<const JobBundles>(store, planner, pool, clock));
    on("createJobBundle", &JobBundles::create);
}

}  // namespace plimsoll::http::endpoints
