// Submitting, listing, cancelling and deleting jobs.
#include "engine/base/json.hpp"
#include "server/http/api/idempotency.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_filter.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/messages/limits.hpp"

namespace plimsoll::http::endpoints {

namespace {

class Jobs {
  public:
    Jobs(queue::JobStore& store, queue::DatasetStore& datasets, planning::Planner& planner,
         const Clock& clock)
        : store_(store), datasets_(datasets), planner_(planner), clock_(clock) {}

    awaitable<Response> create(const Call& call) const {
        auto submitted = co_await submit(call);
        if (submitted.over_quota) throw Refused(over_quota(*submitted.over_quota, clock_.now()));
        if (submitted.taken && !returns_existing(call.body))
            throw Refused(not_unique(submitted.id));
        const auto stored = need(co_await as_it_stands(call, submitted));
        // Returns the job that holds the unique key in its current state.
        auto response =
            json_text_response(submitted.taken ? 200 : 202, job_text(stored, clock_.now()));
        response.with("Location", job_path(stored.id)).with("Retry-After", "1");
        if (submitted.replayed) response.with("Idempotency-Replayed", "true");
        co_return response;
    }

    awaitable<Response> list(const Call& call) const {
        auto filter = filter_of_query(call);
        filter.before = page_cursor<JobId>(call, "job");
        filter.limit = peek_limit(call);
        auto found = need(co_await store_.list(call.principal.team.id, std::move(filter)));
        const auto write = [now = clock_.now()](JsonWriter& page, const queue::Job& job) {
            write_job(page, job, now);
        };
        co_return page_response(
            call, std::move(found.jobs), write, place_by_id<queue::Job>,
            found.examined_to ? std::optional(to_public(*found.examined_to)) : std::nullopt);
    }

    awaitable<Response> count(const Call& call) const {
        const auto counts =
            need(co_await store_.count(call.principal.team.id, filter_of_query(call)));
        json jobs = json::object();
        for (int state = 0; state <= static_cast<int>(queue::JobState::cancelled); ++state) {
            const auto found = counts.jobs.find(static_cast<queue::JobState>(state));
            jobs[std::string(to_string(static_cast<queue::JobState>(state)))] =
                found == counts.jobs.end() ? 0 : found->second;
        }
        co_return json_response(200, {{"jobs", jobs}, {"complete", counts.complete}});
    }

    awaitable<Response> cancel(const Call& call) const {
        const auto id = job_id_of(call.parameters.text("job_id"));
        const auto job =
            need(co_await store_.cancel(call.principal.team.id, call.principal.user.id, id));
        co_return located(json_text_response(202, job_text(job, clock_.now())), job_path(job.id));
    }

    awaitable<Response> remove(const Call& call) const {
        const auto id = job_id_of(call.parameters.text("job_id"));
        need(co_await store_.remove(call.principal.team.id, call.principal.user.id, id));
        co_return empty_response(204);
    }

  private:
    awaitable<Result<queue::Job>> as_it_stands(const Call& call,
                                               queue::Submitted& submitted) const {
        if (!submitted.made) co_return co_await store_.get(call.principal.team.id, submitted.id);
        submitted.made->submitter_name = call.principal.user.name;
        co_return std::move(*submitted.made);
    }

    static std::optional<queue::IdempotencyKey> idempotency_of(const Call& call) {
        auto key = call.parameters.text("Idempotency-Key");
        if (!key) return std::nullopt;
        return queue::IdempotencyKey{std::move(*key), call.body_fingerprint};
    }

    awaitable<queue::Submitted> submit(const Call& call) const {
        const auto team = call.principal.team.id;
        const auto& kind = *planner_.kind(call.body.at("kind").get_ref<const std::string&>());
        auto job = planning::new_job(team, call.principal.user.id, kind, call.body,
                                     call.request.span.context);
        need(set_times(job, call.body, clock_.now()));
        auto planned = co_await planner_.plan(team, {kind, call.body.at("args"), job.run_at},
                                              call.request.body.size() > limits::kInlineBytes);
        if (!planned && planned.error().no_dataset) co_return co_await without_dataset(call);
        if (!planned) throw Refused(refused(planned.error()));
        job.plan = std::move(planned->plan);
        job.idempotency = idempotency_of(call);
        const auto& dataset = planned->dataset;
        auto submitted = dataset ? co_await datasets_.submit(std::move(job), dataset->id,
                                                             dataset->seconds_per_record,
                                                             dataset->seconds_per_byte)
                                 : co_await store_.submit(std::move(job));
        if (!submitted && dataset && submitted.error().code == Errc::not_found)
            co_return co_await without_dataset(call);
        if (!submitted) throw Refused(refused_submit(submitted.error()));
        co_return std::move(*submitted);
    }

    // A key's first response remains valid even if the dataset was deleted since.
    awaitable<queue::Submitted> without_dataset(const Call& call) const {
        if (auto key = idempotency_of(call)) {
            const auto first =
                co_await store_.submitted_before(call.principal.team.id, std::move(*key));
            if (first) co_return *first;
            if (first.error().code != Errc::not_found) throw Refused(refused_submit(first.error()));
        }
        throw Refused(refused_args({{"/dataset", "dataset", "The dataset was not found."}}));
    }

    static Problem refused_submit(const Error& error) {
        return error.code == Errc::conflict ? idempotency_mismatch() : Problem(error);
    }

    queue::JobStore& store_;
    queue::DatasetStore& datasets_;
    planning::Planner& planner_;
    const Clock& clock_;
};

}  // namespace

void add_jobs(Handlers& handlers, queue::JobStore& store, queue::DatasetStore& datasets,
              planning::Planner& planner, const Clock& clock) {
    const Members on(handlers, std::make_shared<const Jobs>(store, datasets, planner, clock));
    on("createJob", &Jobs::create);
    on("listJobs", &Jobs::list);
    on("countJobs", &Jobs::count);
    on("cancelJob", &Jobs::cancel);
    on("deleteJob", &Jobs::remove);
}

}  // namespace plimsoll::http::endpoints
