#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/queue/store.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Stores datasets for the API. Implemented by server/postgres. As in JobStore, another team's
// dataset is Errc::not_found.

namespace plimsoll::queue {

// Limits per team.
inline constexpr int kTeamDatasets = 1000;
inline constexpr int kTeamUploads = 20;  // in progress
inline constexpr std::int64_t kTeamDatasetBytes = 16ll << 30;
// An upload that is not continued for this long is deleted.
inline constexpr std::chrono::hours kIdleUpload{24};

enum class DatasetState { uploading, ready, failed };

std::string_view to_string(DatasetState state);
std::optional<DatasetState> parse_dataset_state(std::string_view text);

struct NewDataset {
    TeamId team;
    UserId submitter;
    std::string name;
    text::RecordFormat format = text::RecordFormat::csv;
    std::int64_t bytes = 0;  // of the file, 1 … jobs::kDatasetBytes
};

struct Dataset {
    DatasetId id;
    UserId submitter;
    std::string submitter_name;
    std::string name;
    text::RecordFormat format = text::RecordFormat::csv;
    DatasetState state = DatasetState::uploading;
    std::string error;  // why it failed; empty otherwise
    std::int64_t bytes_total = 0;
    std::int64_t bytes_received = 0;
    std::vector<std::string> columns;
    std::int64_t records = 0;  // of the chunks stored so far
    std::int64_t records_failed = 0;
    int chunks = 0;
    Timestamp created_at;
    std::int64_t version = 0;  // grows with every stored change
};

// A dataset being uploaded, with the saved state of its jobs::DatasetCutter; empty at the start.
struct Upload {
    Dataset dataset;
    std::string reading;
};

// One step of an upload, stored atomically.
struct UploadStep {
    std::int64_t from = 0;  // bytes_received as the caller last saw it
    std::int64_t to = 0;
    std::string reading;
    std::vector<std::string> columns;
    std::vector<jobs::DatasetChunk> chunks;
    bool ends = false;  // the file is complete: the dataset is ready
};

struct DatasetChunkInfo {
    int seq = 0;
    std::int64_t first_record = 0;
    std::int64_t records = 0;
    std::int64_t failed = 0;
};

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
