#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/queue/dataset_store.hpp"

namespace plimsoll::postgres {

class DatasetStore final : public queue::DatasetStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit DatasetStore(Pool& pool) : pool_(pool) {}

    queue::awaitable<Result<queue::Dataset>> create(queue::NewDataset dataset) override;
    queue::awaitable<Result<queue::Dataset>> get(TeamId team, DatasetId id) override;
    queue::awaitable<Result<std::vector<queue::Dataset>>> list(TeamId team,
                                                               std::optional<DatasetId> before,
                                                               int limit) override;
    queue::awaitable<Result<queue::Upload>> upload(TeamId team, DatasetId id) override;
    queue::awaitable<Result<queue::Dataset>> append(TeamId team, DatasetId id,
                                                    queue::UploadStep step) override;
    queue::awaitable<Result<queue::Dataset>> reject(TeamId team, DatasetId id,
                                                    std::string why) override;
    queue::awaitable<Result<void>> remove(TeamId team, UserId by, DatasetId id) override;
    queue::awaitable<Result<std::vector<queue::DatasetChunkInfo>>> chunks(TeamId team,
                                                                          DatasetId id) override;
    queue::awaitable<Result<std::string>> chunk(TeamId team, DatasetId id, int seq) override;
    queue::awaitable<Result<queue::Submitted>> submit(queue::NewJob job, DatasetId id,
                                                      double seconds_per_record,
                                                      double seconds_per_byte) override;

  private:
    Pool& pool_;
};

}  // namespace plimsoll::postgres
