#pragma once

#include "server/queue/dataset.hpp"
#include "server/queue/store.hpp"

// Stores datasets for the API. Implemented by server/postgres. As in JobStore, another team's
// dataset is Errc::not_found.
namespace plimsoll::queue {

class DatasetStore {
  public:
    virtual ~DatasetStore() = default;

    // The team limit that would be exceeded is named: Errc::invalid_input at "/bytes" for its
    // bytes, Errc::conflict for its datasets and its uploads in progress.
    virtual awaitable<Result<Dataset>> create(NewDataset dataset) = 0;
    virtual awaitable<Result<Dataset>> get(TeamId team, DatasetId id) = 0;
    // Newest first, those older than `before`.
    virtual awaitable<Result<std::vector<Dataset>>> list(TeamId team,
                                                         std::optional<DatasetId> before,
                                                         int limit) = 0;
    virtual awaitable<Result<Upload>> upload(TeamId team, DatasetId id) = 0;
    // Errc::conflict: the upload is no longer at `from` because another call continued it.
    virtual awaitable<Result<Dataset>> append(TeamId team, DatasetId id, UploadStep step) = 0;
    // Marks the file as unusable: deletes its chunks and keeps the reason.
    virtual awaitable<Result<Dataset>> reject(TeamId team, DatasetId id, std::string why) = 0;
    // Errc::conflict while a job on it has not ended.
    virtual awaitable<Result<void>> remove(TeamId team, UserId by, DatasetId id) = 0;

    virtual awaitable<Result<std::vector<DatasetChunkInfo>>> chunks(TeamId team, DatasetId id) = 0;
    virtual awaitable<Result<std::string>> chunk(TeamId team, DatasetId id, int seq) = 0;

    // Creates one task per chunk of the dataset; `job.plan` holds no tasks. Durable on return.
    // Errc::conflict: the idempotency key was used with another body; Errc::not_found: the dataset
    // does not exist.
    virtual awaitable<Result<Submitted>> submit(NewJob job, DatasetId id, double seconds_per_record,
                                                double seconds_per_byte) = 0;
};

}  // namespace plimsoll::queue
