// Redrives: one ended job, some, or all that match a filter.
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_filter.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

constexpr std::size_t kJobsPerCall = 100;  // of the store

std::string reason(queue::Redrive outcome) {
    switch (outcome) {
        case queue::Redrive::redriven:
            return {};
        case queue::Redrive::unfinished:
            return "The job has not finished yet.";
        case queue::Redrive::complete:
            return "Nothing to run again: all of the job's tasks are done.";
        case queue::Redrive::no_dataset:
            return "The job's dataset has been deleted.";
        case queue::Redrive::not_unique:
            return "Another unfinished job has the same unique key.";
        case queue::Redrive::not_found:
            return "The job was not found.";
    }
    return {};
}

class JobRedrive {
  public:
    JobRedrive(queue::JobStore& store, const Clock& clock) : store_(store), clock_(clock) {}

    awaitable<Outcome<Response>> one(const Call& call) const {
        const auto id = job_id_of(call.parameters.text("job_id"));
        if (!id) co_return tl::unexpected(id.error());
        const auto team = call.principal.team.id;
        const auto outcomes = co_await store_.redrive(team, call.principal.user.id, {*id});
        if (!outcomes) co_return tl::unexpected<Problem>(outcomes.error());
        const auto outcome =
            outcomes->empty() ? queue::Redrive::not_found : outcomes->front().outcome;
        if (outcome == queue::Redrive::not_found) co_return refuse(404, reason(outcome));
        if (outcome != queue::Redrive::redriven) co_return refuse(409, reason(outcome));
        const auto job = co_await store_.get(team, *id);
        if (!job) co_return tl::unexpected<Problem>(job.error());
        auto response = json_text_response(202, job_text(*job, clock_.now()));
        response.with("Location", job_path(job->id));
        co_return response;
    }

    awaitable<Outcome<Response>> many(const Call& call) const {
        const auto selected = co_await select(call);
        if (!selected) co_return tl::unexpected(selected.error());
        const auto& jobs = selected->jobs;
        int redriven = 0;
        auto refused = json::array();
        for (const auto& id : selected->unknown) {
            refused.push_back({{"job_id", id}, {"detail", reason(queue::Redrive::not_found)}});
        }
        for (std::size_t first = 0; first < jobs.size(); first += kJobsPerCall) {
            const auto last = std::min(jobs.size(), first + kJobsPerCall);
            const auto outcomes =
                co_await store_.redrive(call.principal.team.id, call.principal.user.id,
                                        {jobs.begin() + static_cast<std::ptrdiff_t>(first),
                                         jobs.begin() + static_cast<std::ptrdiff_t>(last)});
            if (!outcomes) co_return tl::unexpected<Problem>(outcomes.error());
            for (const auto& [id, outcome] : *outcomes) {
                if (outcome == queue::Redrive::redriven) {
                    ++redriven;
                } else {
                    refused.push_back({{"job_id", to_public(id)}, {"detail", reason(outcome)}});
                }
            }
        }
        co_return json_response(
            200,
            {{"redriven", redriven},
             {"refused", std::move(refused)},
             {"next_cursor", selected->next ? json(to_public(*selected->next)) : json(nullptr)}});
    }

  private:
    awaitable<Outcome<SelectedJobs>> select(const Call& call) const {
        if (call.body.contains("job_ids")) co_return named_jobs(call.body.at("job_ids"));
        auto filter = filter_of_body(call.body.at("filter"));
        if (!filter) co_return tl::unexpected(std::move(filter.error()));
        if (!filter->state) filter->state = queue::JobState::failed;
        const auto found = co_await store_.list(call.principal.team.id, std::move(*filter));
        if (!found) co_return tl::unexpected<Problem>(found.error());
        co_return matching_jobs(*found);
    }

    queue::JobStore& store_;
    const Clock& clock_;
};

}  // namespace

void add_job_redrive(Handlers& handlers, queue::JobStore& store, const Clock& clock) {
    const auto redrive = std::make_shared<const JobRedrive>(store, clock);
    handlers["redriveJob"] = [redrive](const Call& call) { return redrive->one(call); };
    handlers["redriveJobs"] = [redrive](const Call& call) { return redrive->many(call); };
}

}  // namespace plimsoll::http::endpoints
