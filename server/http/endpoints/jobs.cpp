// Submitting, listing, cancelling and deleting jobs.
#include "server/http/budget.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/job_json.hpp"
#include "server/http/endpoints/job_spec.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/fingerprint.hpp"
#include "server/http/limits.hpp"
#include "server/http/offload.hpp"
#include "server/jobs/dataset_reading.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

class Jobs {
  public:
    Jobs(queue::JobStore& store, queue::DatasetStore& datasets, Kinds kinds,
         boost::asio::thread_pool& pool, const Clock& clock)
        : store_(store), datasets_(datasets), kinds_(kinds), pool_(pool), clock_(clock) {}

    awaitable<Outcome<Response>> create(const Call& call) const {
        const bool on_dataset =
            takes_datasets(kind_of(call)) && call.body.at("args").contains("dataset");
        const auto submitted =
            on_dataset ? co_await submit_on_dataset(call) : co_await submit(call);
        if (!submitted) co_return tl::unexpected(submitted.error());
        if (submitted->over_quota) {
            co_return tl::unexpected(over_quota(*submitted->over_quota, clock_.now()));
        }
        if (submitted->taken && !returns_holder(call.body)) {
            co_return tl::unexpected(not_unique(submitted->id));
        }
        const auto stored = co_await store_.get(call.principal.team.id, submitted->id);
        if (!stored) co_return tl::unexpected<Problem>(stored.error());
        // A job that has the unique key is answered as it stands.
        auto response =
            json_text_response(submitted->taken ? 200 : 202, job_text(*stored, clock_.now()));
        response.with("Location", job_path(stored->id)).with("Retry-After", "1");
        if (submitted->replayed) response.with("Idempotency-Replayed", "true");
        co_return response;
    }

    awaitable<Outcome<Response>> list(const Call& call) const {
        auto filter = filter_of(call);
        if (!filter) co_return tl::unexpected(std::move(filter.error()));
        auto jobs = co_await store_.list(call.principal.team.id, std::move(*filter));
        if (!jobs) co_return tl::unexpected<Problem>(jobs.error());
        co_return page_response(call, std::move(*jobs),
                                [now = clock_.now()](JsonWriter& page, const queue::Job& job) {
                                    write_job(page, job, now);
                                });
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
    using Planned = tl::expected<jobs::Plan, jobs::FieldErrors>;

    static bool takes_datasets(const jobs::Contract& kind) {
        return kind.plan_dataset != nullptr || kind.gather_dataset != nullptr;
    }

    const jobs::Contract& kind_of(const Call& call) const {
        const auto& name = call.body.at("kind").get_ref<const std::string&>();
        return *std::ranges::find(kinds_, name, &jobs::Contract::name);
    }

    Outcome<queue::NewJob> new_job(const Call& call) const {
        auto job = endpoints::new_job(call.principal, kind_of(call), call.body, clock_.now());
        if (job) job->idempotency = idempotency_of(call);
        return job;
    }

    static std::optional<queue::IdempotencyKey> idempotency_of(const Call& call) {
        auto key = call.parameters.text("Idempotency-Key");
        if (!key) return std::nullopt;
        return queue::IdempotencyKey{std::move(*key), fingerprint(call.request.body)};
    }

    awaitable<Outcome<queue::Submitted>> submit(const Call& call) const {
        auto plan = co_await plan_job(call);
        if (!plan) co_return tl::unexpected(refused_args(plan.error()));
        auto job = new_job(call);
        if (!job) co_return tl::unexpected(std::move(job.error()));
        job->plan = std::move(*plan);
        const auto submitted = co_await store_.submit(std::move(*job));
        if (!submitted) co_return tl::unexpected(refused_submit(submitted.error()));
        co_return *submitted;
    }

    awaitable<Outcome<queue::Submitted>> submit_on_dataset(const Call& call) const {
        const auto& args = call.body.at("args");
        const auto id = parse_public_id("data", args["dataset"].get_ref<const std::string&>());
        const auto dataset =
            co_await datasets_.get(call.principal.team.id, DatasetId{id.value_or(0)});
        if (!dataset && dataset.error().code != Errc::not_found) {
            co_return tl::unexpected<Problem>(dataset.error());
        }
        if (!dataset) co_return co_await without_dataset(call);
        if (dataset->state != queue::DatasetState::ready) {
            co_return tl::unexpected(
                refused_dataset(dataset->state == queue::DatasetState::failed
                                    ? "The dataset's file could not be read: " + dataset->error
                                    : "The dataset is not complete: its upload has not ended."));
        }
        const jobs::DatasetShape shape{to_public(dataset->id), dataset->name, dataset->format,
                                       dataset->columns};
        if (kind_of(call).gather_dataset != nullptr) {
            co_return co_await submit_gathered(call, dataset->id, shape);
        }
        auto plan = kind_of(call).plan_dataset(args, shape);
        if (!plan) co_return tl::unexpected(refused_args(plan.error()));
        auto job = new_job(call);
        if (!job) co_return tl::unexpected(std::move(job.error()));
        job->plan.args = std::move(plan->args);
        job->plan.requirement = std::move(plan->requirement);
        const auto submitted = co_await datasets_.submit(
            std::move(*job), dataset->id, plan->seconds_per_record, plan->seconds_per_byte);
        if (!submitted && submitted.error().code == Errc::not_found) {
            co_return co_await without_dataset(call);
        }
        if (!submitted) co_return tl::unexpected(refused_submit(submitted.error()));
        co_return *submitted;
    }

    // The dataset is read here, a chunk at a time, and its items are stored with the job.
    awaitable<Outcome<queue::Submitted>> submit_gathered(const Call& call, DatasetId id,
                                                         const jobs::DatasetShape& shape) const {
        const auto place = gathering_.reserve(1);
        if (!place) co_return tl::unexpected(overloaded("Too many datasets are being read."));
        auto gatherer = kind_of(call).gather_dataset(call.body.at("args"), shape);
        if (!gatherer) co_return tl::unexpected(refused_args(gatherer.error()));
        const auto chunks = co_await datasets_.chunks(call.principal.team.id, id);
        if (!chunks) co_return tl::unexpected<Problem>(chunks.error());
        for (const auto& chunk : *chunks) {
            const auto content = co_await datasets_.chunk(call.principal.team.id, id, chunk.seq);
            if (!content && content.error().code == Errc::not_found) {
                co_return co_await without_dataset(call);
            }
            if (!content) co_return tl::unexpected<Problem>(content.error());
            tl::expected<void, jobs::FieldErrors> taken;
            const auto work = [&] {
                return jobs::read_chunk(*content, [&](const text::RecordView& record) {
                    taken = (*gatherer)->take(record);
                    return taken.has_value();
                });
            };
            const auto read = co_await offload(pool_, work);
            if (!read) co_return tl::unexpected<Problem>(read.error());
            if (!taken) co_return tl::unexpected(refused_args(taken.error()));
        }
        const auto cut = [&] { return (*gatherer)->finish(); };
        auto plan = co_await offload(pool_, cut);
        if (!plan) co_return tl::unexpected(refused_args(plan.error()));
        auto job = new_job(call);
        if (!job) co_return tl::unexpected(std::move(job.error()));
        job->plan = std::move(*plan);
        const auto submitted = co_await store_.submit(std::move(*job));
        if (!submitted) co_return tl::unexpected(refused_submit(submitted.error()));
        co_return *submitted;
    }

    // A key's first answer stands, though the dataset may be gone since.
    awaitable<Outcome<queue::Submitted>> without_dataset(const Call& call) const {
        if (auto key = idempotency_of(call)) {
            const auto first =
                co_await store_.submitted_before(call.principal.team.id, std::move(*key));
            if (first) co_return *first;
            if (first.error().code != Errc::not_found) {
                co_return tl::unexpected(refused_submit(first.error()));
            }
        }
        co_return tl::unexpected(refused_dataset("There is no such dataset."));
    }

    static Problem refused_dataset(std::string why) {
        return refused_args({{"/dataset", "dataset", std::move(why)}});
    }

    awaitable<Planned> plan_job(const Call& call) const {
        const auto& kind = kind_of(call);
        const auto& args = call.body.at("args");
        if (call.request.body.size() <= limits::kInlineBytes) co_return kind.plan(args);
        const auto work = [&kind, &args] { return kind.plan(args); };
        co_return co_await offload(pool_, work);
    }

    static Problem refused_submit(const Error& error) {
        if (error.code != Errc::conflict) return error;
        Problem problem(422, "This Idempotency-Key was used with another body.");
        problem.slug = "idempotency-mismatch";
        problem.errors.push_back({{}, "Idempotency-Key", "was used with another body"});
        return problem;
    }

    static Outcome<queue::JobFilter> filter_of(const Call& call) {
        const auto& parameters = call.parameters;
        queue::JobFilter filter;
        filter.kind = parameters.text("kind").value_or("");
        filter.limit = static_cast<int>(page_limit(call)) + 1;
        if (const auto state = parameters.text("state")) {
            filter.state = queue::parse_job_state(*state);
        }
        if (const auto label = parameters.text("label")) {
            filter_by_label(filter, *label);
        }
        const auto before = page_cursor<JobId>(call, "job");
        if (!before) return tl::unexpected(before.error());
        filter.before = *before;
        return filter;
    }

    queue::JobStore& store_;
    queue::DatasetStore& datasets_;
    Kinds kinds_;
    boost::asio::thread_pool& pool_;
    const Clock& clock_;
    mutable Budget gathering_{limits::kGatheringsInFlight};
};

}  // namespace

void add_jobs(Handlers& handlers, queue::JobStore& store, queue::DatasetStore& datasets,
              Kinds kinds, boost::asio::thread_pool& pool, const Clock& clock) {
    const auto jobs = std::make_shared<const Jobs>(store, datasets, kinds, pool, clock);
    handlers["createJob"] = [jobs](const Call& call) { return jobs->create(call); };
    handlers["listJobs"] = [jobs](const Call& call) { return jobs->list(call); };
    handlers["cancelJob"] = [jobs](const Call& call) { return jobs->cancel(call); };
    handlers["deleteJob"] = [jobs](const Call& call) { return jobs->remove(call); };
}

}  // namespace plimsoll::http::endpoints
