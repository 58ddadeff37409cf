#pragma once

#include "server/queue/dataset.hpp"
#include "tests/fakes/fake_job_store.hpp"

#include <map>

#include <boost/asio/awaitable.hpp>

namespace plimsoll::fakes {

// Datasets in memory; its jobs go to a FakeJobStore. For one thread.
class FakeDatasetStore final : public queue::DatasetStore {
  public:
    struct Stored {
        TeamId team;
        queue::Dataset dataset;
        std::string reading;
        std::vector<jobs::DatasetChunk> chunks;
        int steps = 0;
    };

    // Both outlive this.
    FakeDatasetStore(const FakeIdentity& identity, FakeJobStore& jobs)
        : identity_(identity), jobs_(jobs) {}

    awaitable<Result<queue::Dataset>> create(queue::NewDataset dataset) override;
    awaitable<Result<queue::Dataset>> get(TeamId team, DatasetId id) override;
    awaitable<Result<std::vector<queue::Dataset>>> list(TeamId team,
                                                        std::optional<DatasetId> before,
                                                        int limit) override;
    awaitable<Result<queue::Upload>> upload(TeamId team, DatasetId id) override;
    awaitable<Result<queue::Dataset>> append(TeamId team, DatasetId id,
                                             queue::UploadStep step) override;
    awaitable<Result<queue::Dataset>> reject(TeamId team, DatasetId id, std::string why) override;
    awaitable<Result<void>> remove(TeamId team, UserId by, DatasetId id) override;
    awaitable<Result<std::vector<queue::DatasetChunkInfo>>> chunks(TeamId team,
                                                                   DatasetId id) override;
    awaitable<Result<std::string>> chunk(TeamId team, DatasetId id, int seq) override;
    awaitable<Result<queue::Submitted>> submit(queue::NewJob job, DatasetId id,
                                               double seconds_per_record,
                                               double seconds_per_byte) override;

    std::map<DatasetId, Stored> datasets;

  private:
    Result<Stored*> find(TeamId team, DatasetId id);
    // Why the team may not have another one.
    std::optional<Error> broken_limit(const queue::NewDataset& dataset) const;

    const FakeIdentity& identity_;
    FakeJobStore& jobs_;
    std::int64_t next_ = 500;
};

}  // namespace plimsoll::fakes
