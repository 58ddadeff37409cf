#pragma once

#include "server/postgres/driver/statement.hpp"
#include "server/queue/dataset_store.hpp"

#include <optional>

// Between the types of datasets and the database's rows and parameters.
namespace plimsoll::postgres {

queue::Dataset to_dataset(const Row& row);

Statement creation(const queue::NewDataset& dataset);
// The limit that its answer names; nothing when the dataset was made.
std::optional<Error> broken_limit(const Row& row);

Statement appending(DatasetId id, queue::UploadStep step);
Statement enqueueing(const queue::NewJob& job, DatasetId id, double seconds_per_record,
                     double seconds_per_byte);

}  // namespace plimsoll::postgres
