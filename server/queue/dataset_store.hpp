#pragma once

#include "server/queue/dataset.hpp"
#include "server/queue/store.hpp"

// What the API needs of datasets. Implemented by server/postgres. Answers as JobStore does: another
// team's dataset is Errc::not_found.
namespace plimsoll::queue {

class DatasetStore {
  public:
    virtual ~DatasetStore() = default;

    // Errc::invalid_input names the limit of the team that it would break.
    virtual awaitable<Result<Dataset>> create(NewDataset dataset) = 0;
    virtual awaitable<Result<Dataset>> get(TeamId team, DatasetId id) = 0;
    // Newest first, those older than `before`.
    virtual awaitable<Result<std::vector<Dataset>>> list(TeamId team,
                                                         std::optional<DatasetId> before,
                                                         int limit) = 0;
    virtual awaitable<Result<Upload>> upload(TeamId team, DatasetId id) = 0;
    // Errc::conflict when the upload no longer stands at `from`: somebody else continued it.
    virtual awaitable<Result<Dataset>> append(TeamId team, DatasetId id, UploadStep step) = 0;
    // The file cannot be used: what came of it goes, why stays.
    virtual awaitable<Result<Dataset>> reject(TeamId team, DatasetId id, std::string why) = 0;
    // Errc::conflict while a job on it has not ended.
    virtual awaitable<Result<void>> remove(TeamId team, UserId by, DatasetId id) = 0;

    virtual awaitable<Result<std::vector<DatasetChunkInfo>>> chunks(TeamId team, DatasetId id) = 0;
    virtual awaitable<Result<std::string>> chunk(TeamId team, DatasetId id, int seq) = 0;

    // `job.plan` holds no tasks: they are made of the dataset's chunks. Durable when it returns.
    // Errc::conflict: the key was used with another body; Errc::not_found: no such dataset.
    virtual awaitable<Result<Submitted>> submit(NewJob job, DatasetId id, double seconds_per_record,
                                                double seconds_per_byte) = 0;
};

}  // namespace plimsoll::queue
