// Submitting, listing, cancelling and deleting jobs.
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_filter.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/messages/fingerprint.hpp"
#include "server/http/messages/limits.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

class Jobs {
  public:
    Jobs(queue::JobStore& store, queue::DatasetStore& datasets, planning::Planner& planner,
         const Clock& clock)
        : store_(store), datasets_(datasets), planner_(planner), clock_(clock) {}

    awaitable<Outcome<Response>> create(const Call& call) const {
        auto submitted = co_await submit(call);
        if (!submitted) co_return tl::unexpected(submitted.error());
        if (submitted->over_quota) {
            co_return tl::unexpected(over_quota(*submitted->over_quota, clock_.now()));
        }
        if (submitted->taken && !returns_existing(call.body)) {
            co_return tl::unexpected(not_unique(submitted->id));
        }
        const auto stored = co_await as_it_stands(call, *submitted);
        if (!stored) co_return tl::unexpected<Problem>(stored.error());
        // Returns the job that holds the unique key in its current state.
        auto response =
            json_text_response(submitted->taken ? 200 : 202, job_text(*stored, clock_.now()));
        response.with("Location", job_path(stored->id)).with("Retry-After", "1");
        if (submitted->replayed) response.with("Idempotency-Replayed", "true");
        co_return response;
    }

    awaitable<Outcome<Response>> list(const Call& call) const {
        const auto before = page_cursor<JobId>(call, "job");
        if (!before) co_return tl::unexpected(before.error());
        auto filter = filter_of_query(call);
        filter.before = *before;
        filter.limit = static_cast<int>(page_limit(call)) + 1;
        auto found = co_await store_.list(call.principal.team.id, std::move(filter));
        if (!found) co_return tl::unexpected<Problem>(found.error());
        co_return page_response(
            call, std::move(found->jobs),
            [now = clock_.now()](JsonWriter& page, const queue::Job& job) {
                write_job(page, job, now);
            },
            found->examined_to);
    }

    awaitable<Outcome<Response>> count(const Call& call) const {
        const auto counts = co_await store_.count(call.principal.team.id, filter_of_query(call));
        if (!counts) co_return tl::unexpected<Problem>(counts.error());
        json jobs = json::object();
        for (int state = 0; state <= static_cast<int>(queue::JobState::cancelled); ++state) {
            const auto found = counts->jobs.find(static_cast<queue::JobState>(state));
            jobs[std::string(to_string(static_cast<queue::JobState>(state)))] =
                found == counts->jobs.end() ? 0 : found->second;
        }
        co_return json_response(200, {{"jobs", jobs}, {"complete", counts->complete}});
    }

    awaitable<Outcome<Response>> cancel(const Call& call) const {
        const auto id = job_id_of(call.parameters.text("job_id"));
        if (!id) co_return tl::unexpected(id.error());
        const auto job =
            co_await store_.cancel(call.principal.team.id, call.principal.user.id, *id);
        if (!job) co_return tl::unexpected<Problem>(job.error());
        auto response = json_text_response(202, job_text(*job, clock_.now()));
        response.with("Location", job_path(job->id));
        co_return response;
    }

    awaitable<Outcome<Response>> remove(const Call& call) const {
        const auto id = job_id_of(call.parameters.text("job_id"));
        if (!id) co_return tl::unexpected(id.error());
        const auto removed =
            co_await store_.remove(call.principal.team.id, call.principal.user.id, *id);
        if (!removed) co_return tl::unexpected<Problem>(removed.error());
        co_return empty_response(204);
    }

  private:
    awaitable<Result<queue::Job>> as_it_stands(const Call& call,
                                               queue::Submitted& submitted) const {
        if (!submitted.made) {
            co_return co_await store_.get(call.principal.team.id, submitted.id);
        }
        submitted.made->submitter_name = call.principal.user.name;
        co_return std::move(*submitted.made);
    }

    static std::optional<queue::IdempotencyKey> idempotency_of(const Call& call) {
        auto key = call.parameters.text("Idempotency-Key");
        if (!key) return std::nullopt;
        return queue::IdempotencyKey{std::move(*key), fingerprint(call.body.dump())};
    }

    awaitable<Outcome<queue::Submitted>> submit(const Call& call) const {
        const auto team = call.principal.team.id;
        const auto& kind = *planner_.kind(call.body.at("kind").get_ref<const std::string&>());
        auto job = planning::new_job(team, call.principal.user.id, kind, call.body);
        if (auto set = set_times(job, call.body, clock_.now()); !set) {
            co_return tl::unexpected(std::move(set.error()));
        }
        auto planned = co_await planner_.plan(team, {kind, call.body.at("args"), job.run_at},
                                              call.request.body.size() > limits::kInlineBytes);
        if (!planned && planned.error().no_dataset) co_return co_await without_dataset(call);
        if (!planned) co_return tl::unexpected(refused(planned.error()));
        job.plan = std::move(planned->plan);
        job.idempotency = idempotency_of(call);
        const auto& dataset = planned->dataset;
        auto submitted = dataset ? co_await datasets_.submit(std::move(job), dataset->id,
                                                             dataset->seconds_per_record,
                                                             dataset->seconds_per_byte)
                                 : co_await store_.submit(std::move(job));
        if (!submitted && dataset && submitted.error().code == Errc::not_found) {
            co_return co_await without_dataset(call);
        }
        if (!submitted) co_return tl::unexpected(refused_submit(submitted.error()));
        co_return std::move(*submitted);
    }

    // A key's first response remains valid even if the dataset was deleted since.
    awaitable<Outcome<queue::Submitted>> without_dataset(const Call& call) const {
        if (auto key = idempotency_of(call)) {
            const auto first =
                co_await store_.submitted_before(call.principal.team.id, std::move(*key));
            if (first) co_return *first;
            if (first.error().code != Errc::not_found) {
                co_return tl::unexpected(refused_submit(first.error()));
            }
        }
        co_return tl::unexpected(
            refused_args({{"/dataset", "dataset", "The dataset was not found."}}));
    }

    static Problem refused_submit(const Error& error) {
        if (error.code != Errc::conflict) return error;
        Problem problem(422, "This Idempotency-Key was used with another body.");
        problem.slug = "idempotency-mismatch";
        problem.errors.push_back({{}, "Idempotency-Key", "was used with another body"});
        return problem;
    }

    queue::JobStore& store_;
    queue::DatasetStore& datasets_;
    planning::Planner& planner_;
    const Clock& clock_;
};

}  // namespace

void add_jobs(Handlers& handlers, queue::JobStore& store, queue::DatasetStore& datasets,
              planning::Planner& planner, const Clock& clock) {
    const auto jobs = std::make_shared<const Jobs>(store, datasets, planner, clock);
    handlers["createJob"] = [jobs](const Call& call) { return jobs->create(call); };
    handlers["listJobs"] = [jobs](const Call& call) { return jobs->list(call); };
    handlers["countJobs"] = [jobs](const Call& call) { return jobs->count(call); };
    handlers["cancelJob"] = [jobs](const Call& call) { return jobs->cancel(call); };
    handlers["deleteJob"] = [jobs](const Call& call) { return jobs->remove(call); };
}

}  // namespace plimsoll::http::endpoints
