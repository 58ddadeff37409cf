#pragma once

#include "server/queue/store.hpp"
#include "tests/fakes/fake_identity.hpp"

#include <list>
#include <map>

#include <boost/asio/steady_timer.hpp>

namespace plimsoll::fakes {

// Jobs in memory; no worker runs them: the test decides what happens to them. For one thread.
class FakeJobStore final : public queue::JobStore {
  public:
    struct Stored {
        queue::Job job;
        std::vector<queue::JobEvent> events;
        std::vector<std::string> chunks;  // gzip members of JSON lines; each counts as one item
        std::string given_up;             // why its tasks were quarantined, if they were
        std::optional<std::string> report;
        std::optional<queue::IdempotencyKey> key;
        jobs::Plan plan;
        std::optional<DatasetId> dataset;  // its tasks' inputs are this dataset's chunks
        std::vector<queue::Attempt> attempts = {};
        std::vector<queue::JobLogLine> log = {};
    };

    // Submitters' names come from `identity`, which outlives this.
    explicit FakeJobStore(const FakeIdentity& identity) : identity_(identity) {}

    awaitable<Result<queue::Submitted>> submit(queue::NewJob job) override;
    awaitable<Result<queue::Submitted>> submitted_before(TeamId team,
                                                         queue::IdempotencyKey key) override;
    awaitable<Result<std::vector<Result<queue::Submitted>>>> submit_all(
        std::vector<queue::NewJob> jobs, bool whole) override;
    awaitable<Result<queue::Job>> get(TeamId team, JobId id) override;
    awaitable<Result<queue::FoundJobs>> list(TeamId team, queue::JobFilter filter) override;
    awaitable<Result<queue::JobCounts>> count(TeamId team, queue::JobFilter filter) override;
    awaitable<Result<std::vector<queue::Attempt>>> attempts(TeamId team, JobId id,
                                                            queue::AttemptPlace after,
                                                            int limit) override;
    awaitable<Result<std::vector<queue::JobLogLine>>> log(TeamId team, JobId id,
                                                          queue::LogFilter filter) override;
    awaitable<Result<queue::FoundTasks>> tasks(TeamId team, JobId id,
                                               queue::TaskFilter filter) override;
    awaitable<Result<queue::Job>> cancel(TeamId team, UserId by, JobId id) override;
    awaitable<Result<std::vector<queue::Redriven>>> redrive(TeamId team, UserId by,
                                                            std::vector<JobId> ids) override;
    awaitable<Result<std::optional<queue::Wait>>> wait(TeamId team, JobId id) override;
    awaitable<Result<void>> remove(TeamId team, UserId by, JobId id) override;
    awaitable<Result<std::vector<queue::JobEvent>>> events(TeamId team, JobId id,
                                                           std::int64_t after, int limit) override;
    awaitable<Result<std::string>> report(TeamId team, JobId id) override;
    awaitable<Result<std::vector<queue::ChunkInfo>>> result_chunks(TeamId team, JobId id) override;
    awaitable<Result<std::string>> result_chunk(TeamId team, JobId id, int seq) override;
    awaitable<Result<queue::TaskInput>> task_input(TeamId team, JobId id, int seq) override;
    awaitable<Result<std::vector<queue::DeviceStatus>>> devices() override;
    awaitable<Result<queue::Uses>> uses(TeamId team, std::string sort, std::string name) override;
    awaitable<Result<void>> ready() override;

    // Like submit, for a job whose tasks come from a dataset.
    Result<queue::Submitted> store(queue::NewJob job, std::optional<DatasetId> dataset);
    // Its jobs can neither run again nor show their inputs.
    void forget_dataset(DatasetId id);
    bool uses(DatasetId id) const;  // a job on it has not ended

    void happen(JobId id, queue::JobState state, const std::string& event);

    std::map<JobId, Stored> jobs;
    int chunks_read = 0;
    int devices_read = 0;
    std::vector<queue::DeviceStatus> more_devices;  // beside the host
    std::optional<queue::OverQuota> refusal;        // of every submit
    std::optional<Error> broken;  // what every call returns, as if the database were down

  private:
    Result<Stored*> find(TeamId team, JobId id);
    Result<queue::Submitted> stored_before(TeamId team, const queue::IdempotencyKey& key) const;
    // The unfinished job that has the team's unique key.
    std::optional<JobId> holder(TeamId team, const std::string& unique_key) const;
    queue::Redrive redrive(TeamId team, JobId id);

    const FakeIdentity& identity_;
    std::int64_t next_ = 1000;
};

class FakeSignals final : public queue::JobSignals {
  public:
    awaitable<void> changed(JobId id, std::chrono::steady_clock::time_point deadline) override;
    awaitable<void> changed_since(JobId id, std::chrono::steady_clock::time_point since,
                                  std::chrono::steady_clock::time_point deadline) override;
    void wake();

  private:
    std::list<boost::asio::steady_timer*> waiting_;
};

}  // namespace plimsoll::fakes
