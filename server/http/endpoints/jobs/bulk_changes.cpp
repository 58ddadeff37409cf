// Cancelling many jobs: those that are named, or all that match a filter.
//
// Redrives: one ended job, some, or all that match a filter.
#include "engine/base/json.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_filter.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

namespace {

awaitable<SelectedJobs> select(const Call& call, queue::JobStore& store) {
    if (call.body.contains("job_ids")) co_return named_jobs(call.body.at("job_ids"));
    auto filter = filter_of_body(call.body.at("filter"));
    filter.unfinished = true;
    const auto found = need(co_await store.list(call.principal.team.id, std::move(filter)));
    co_return matching_jobs(found);
}

// One job a transaction: the queue's functions lock lease by lease, and two jobs' locks in one
// transaction could wait for each other.
awaitable<Response> cancel_jobs(const Call& call, queue::JobStore& store) {
    const auto selected = co_await select(call, store);
    int cancelled = 0;
    auto refused = json::array();
    for (const auto& id : selected.unknown)
        refused.push_back({{"job_id", id}, {"detail", "The job was not found."}});
    for (const JobId id : selected.jobs) {
        const auto job = co_await store.cancel(call.principal.team.id, call.principal.user.id, id);
        if (job)
            ++cancelled;
        else if (job.error().code == Errc::conflict || job.error().code == Errc::not_found)
            refused.push_back({{"job_id", to_public(id)}, {"detail", job.error().message}});
        else
            throw Refused(job.error());
    }
    co_return json_response(
        200, {{"cancelled", cancelled},
              {"refused", std::move(refused)},
              {"next_cursor", selected.next ? json(to_public(*selected.next)) : json(nullptr)}});
}

constexpr std::size_t kJobsPerCall = 100;  // of the store

std::string reason(queue::Redrive outcome) {
    switch (outcome) {
        case queue::Redrive::redriven: return {};
        case queue::Redrive::unfinished: return "The job has not finished yet.";
        case queue::Redrive::complete:
            return "Nothing to run again: all of the job's tasks are done.";
        case queue::Redrive::no_dataset: return "The job's dataset has been deleted.";
        case queue::Redrive::not_unique: return "Another unfinished job has the same unique key.";
        case queue::Redrive::not_found: return "The job was not found.";
    }
    return {};
}

class JobRedrive {
  public:
    JobRedrive(queue::JobStore& store, const Clock& clock) : store_(store), clock_(clock) {}

    awaitable<Response> one(const Call& call) const {
        const auto id = job_id_of(call.parameters.text("job_id"));
        const auto team = call.principal.team.id;
        const auto outcomes = need(co_await store_.redrive(team, call.principal.user.id, {id}));
        const auto outcome =
            outcomes.empty() ? queue::Redrive::not_found : outcomes.front().outcome;
        if (outcome == queue::Redrive::not_found) throw Refused(404, reason(outcome));
        if (outcome != queue::Redrive::redriven) throw Refused(409, reason(outcome));
        const auto job = need(co_await store_.get(team, id));
        co_return located(json_text_response(202, job_text(job, clock_.now())), job_path(job.id));
    }

    awaitable<Response> many(const Call& call) const {
        const auto selected = co_await select(call);
        const auto& jobs = selected.jobs;
        int redriven = 0;
        auto refused = json::array();
        for (const auto& id : selected.unknown)
            refused.push_back({{"job_id", id}, {"detail", reason(queue::Redrive::not_found)}});
        for (std::size_t first = 0; first < jobs.size(); first += kJobsPerCall) {
            const auto last = std::min(jobs.size(), first + kJobsPerCall);
            const auto outcomes =
                need(co_await store_.redrive(call.principal.team.id, call.principal.user.id,
                                             {jobs.begin() + static_cast<std::ptrdiff_t>(first),
                                              jobs.begin() + static_cast<std::ptrdiff_t>(last)}));
            for (const auto& [id, outcome] : outcomes)
                if (outcome == queue::Redrive::redriven)
                    ++redriven;
                else
                    refused.push_back({{"job_id", to_public(id)}, {"detail", reason(outcome)}});
        }
        co_return json_response(
            200,
            {{"redriven", redriven},
             {"refused", std::move(refused)},
             {"next_cursor", selected.next ? json(to_public(*selected.next)) : json(nullptr)}});
    }

  private:
    awaitable<SelectedJobs> select(const Call& call) const {
        if (call.body.contains("job_ids")) co_return named_jobs(call.body.at("job_ids"));
        auto filter = filter_of_body(call.body.at("filter"));
        if (!filter.state) filter.state = queue::JobState::failed;
        const auto found = need(co_await store_.list(call.principal.team.id, std::move(filter)));
        co_return matching_jobs(found);
    }

    queue::JobStore& store_;
    const Clock& clock_;
};

}  // namespace

void add_job_cancellations(Handlers& handlers, queue::JobStore& store) {
    handlers["cancelJobs"] = [&store](const Call& call) { return cancel_jobs(call, store); };
}

void add_job_redrive(Handlers& handlers, queue::JobStore& store, const Clock& clock) {
    const Members on(handlers, std::make_shared<const JobRedrive>(store, clock));
    on("redriveJob", &JobRedrive::one);
    on("redriveJobs", &JobRedrive::many);
}

}  // namespace plimsoll::http::endpoints
