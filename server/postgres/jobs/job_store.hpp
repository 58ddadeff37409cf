#pragma once

#include "server/postgres/jobs/group_commit.hpp"
#include "server/postgres/jobs/job_lookups.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/queue/store.hpp"

namespace plimsoll::postgres {

class JobStore final : public queue::JobStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    JobStore(asio::any_io_executor executor, Pool& pool);

    queue::awaitable<Result<queue::Submitted>> submit(queue::NewJob job) override;
    queue::awaitable<Result<queue::Submitted>> submitted_before(TeamId team,
                                                                queue::IdempotencyKey key) override;
    queue::awaitable<Result<std::vector<Result<queue::Submitted>>>> submit_all(
        std::vector<queue::NewJob> jobs, bool whole) override;
    queue::awaitable<Result<queue::Job>> get(TeamId team, JobId id) override;
    queue::awaitable<Result<queue::FoundJobs>> list(TeamId team, queue::JobFilter filter) override;
    queue::awaitable<Result<queue::JobCounts>> count(TeamId team, queue::JobFilter filter) override;
    queue::awaitable<Result<std::vector<queue::Attempt>>> attempts(TeamId team, JobId id,
                                                                   queue::AttemptPlace after,
                                                                   int limit) override;
    queue::awaitable<Result<std::vector<queue::JobLogLine>>> log(TeamId team, JobId id,
                                                                 queue::LogFilter filter) override;
    queue::awaitable<Result<queue::FoundTasks>> tasks(TeamId team, JobId id,
                                                      queue::TaskFilter filter) override;
    queue::awaitable<Result<queue::Job>> cancel(TeamId team, UserId by, JobId id) override;
    queue::awaitable<Result<std::vector<queue::Redriven>>> redrive(TeamId team, UserId by,
                                                                   std::vector<JobId> ids) override;
    queue::awaitable<Result<std::optional<queue::Wait>>> wait(TeamId team, JobId id) override;
    queue::awaitable<Result<void>> remove(TeamId team, UserId by, JobId id) override;
    queue::awaitable<Result<std::vector<queue::JobEvent>>> events(TeamId team, JobId id,
                                                                  std::int64_t after,
                                                                  int limit) override;
    queue::awaitable<Result<std::string>> report(TeamId team, JobId id) override;
    queue::awaitable<Result<std::vector<queue::ChunkInfo>>> result_chunks(TeamId team,
                                                                          JobId id) override;
    queue::awaitable<Result<std::string>> result_chunk(TeamId team, JobId id, int seq) override;
    queue::awaitable<Result<queue::TaskInput>> task_input(TeamId team, JobId id, int seq) override;
    queue::awaitable<Result<std::vector<queue::DeviceStatus>>> devices() override;
    queue::awaitable<Result<queue::Uses>> uses(TeamId team, std::string sort,
                                               std::string name) override;
    queue::awaitable<Result<void>> ready() override;

  private:
    // Runs a query about a job in one round trip with the team's scope and the job's state.
    // Errc::not_found: the job does not exist.
    asio::awaitable<Result<Rows>> about(TeamId team, JobId id, Statement statement);

    Pool& pool_;
    std::shared_ptr<GroupCommit> submits_;
    std::shared_ptr<JobLookups> lookups_;
};

}  // namespace plimsoll::postgres
