#pragma once

#include "server/postgres/driver/statement.hpp"
#include "server/queue/dataset_store.hpp"

#include <optional>

// Conversions between dataset types and database rows and parameters.
namespace plimsoll::postgres {

queue::Dataset to_dataset(const Row& row);
queue::DatasetChunkInfo to_dataset_chunk(const Row& row);

Statement creation(const queue::NewDataset& dataset);
// The exceeded limit; nullopt if the dataset was created.
std::optional<Error> broken_limit(const Row& row);

Statement appending(DatasetId id, queue::UploadStep step);
Statement enqueueing(const queue::NewJob& job, DatasetId id, double seconds_per_record,
                     double seconds_per_byte);

}  // namespace plimsoll::postgres
