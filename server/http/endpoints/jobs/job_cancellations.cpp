// Cancelling many jobs: those that are named, or all that match a filter.
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_filter.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

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
    for (const auto& id : selected.unknown) {
        refused.push_back({{"job_id", id}, {"detail", "The job was not found."}});
    }
    for (const JobId id : selected.jobs) {
        const auto job = co_await store.cancel(call.principal.team.id, call.principal.user.id, id);
        if (job) {
            ++cancelled;
        } else if (job.error().code == Errc::conflict || job.error().code == Errc::not_found) {
            refused.push_back({{"job_id", to_public(id)}, {"detail", job.error().message}});
        } else {
            throw Refused(job.error());
        }
    }
    co_return json_response(
        200, {{"cancelled", cancelled},
              {"refused", std::move(refused)},
              {"next_cursor", selected.next ? json(to_public(*selected.next)) : json(nullptr)}});
}

}  // namespace

void add_job_cancellations(Handlers& handlers, queue::JobStore& store) {
    handlers["cancelJobs"] = [&store](const Call& call) { return cancel_jobs(call, store); };
}

}  // namespace plimsoll::http::endpoints
