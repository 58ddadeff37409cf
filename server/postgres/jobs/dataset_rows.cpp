#include "server/postgres/jobs/dataset_rows.hpp"

#include "server/postgres/driver/optional.hpp"
#include "server/postgres/jobs/enqueue.hpp"
#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/sql.hpp"

#include <stdexcept>

namespace plimsoll::postgres {
namespace {}  // namespace

queue::Dataset to_dataset(const Row& row) {
    queue::Dataset dataset;
    dataset.id = DatasetId{row.get<std::int64_t>("id")};
    dataset.submitter = row.get<UserId>("user_id");
    dataset.submitter_name = row.get<Maybe<std::string>>("submitter_name").value_or("");
    dataset.name = row.get<std::string>("name");
    dataset.format = jobs::parse_format(row.get<std::string>("format"));
    const auto state = queue::parse_dataset_state(row.get<std::string>("state"));
    if (!state) throw std::logic_error("unknown state of a dataset");
    dataset.state = *state;
    dataset.error = row.get<Maybe<std::string>>("error").value_or("");
    dataset.bytes_total = row.get<std::int64_t>("bytes_total");
    dataset.bytes_received = row.get<std::int64_t>("bytes_received");
    dataset.columns = row.get<std::vector<std::string>>("columns");
    dataset.records = row.get<std::int64_t>("records");
    dataset.records_failed = row.get<std::int64_t>("records_failed");
    dataset.chunks = row.get<int>("chunks");
    dataset.created_at = row.get<Timestamp>("created_at");
    dataset.version = row.get<std::int64_t>("revision");
    return dataset;
}

queue::DatasetChunkInfo to_dataset_chunk(const Row& row) {
    return {row.get<int>("seq"), row.get<std::int64_t>("first_record"),
            row.get<std::int64_t>("records"), row.get<std::int64_t>("failed")};
}

Statement creation(const queue::NewDataset& dataset) {
    return Statement::of(sql::datasets_create, dataset.team.value, dataset.submitter.value,
                         dataset.name, jobs::to_string(dataset.format), dataset.bytes,
                         queue::kTeamDatasets, queue::kTeamUploads, queue::kTeamDatasetBytes);
}

std::optional<Error> broken_limit(const Row& row) {
    const auto outcome = row.get<std::string>("outcome");
    if (outcome == "created") return std::nullopt;
    if (outcome == "bytes") {
        return Error{Errc::invalid_input,
                     "A team can store at most " + std::to_string(queue::kTeamDatasetBytes) +
                         " bytes of datasets; " +
                         std::to_string(row.get<std::int64_t>("bytes_left")) +
                         " are left. Delete datasets that are no longer needed.",
                     "/bytes"};
    }
    if (outcome == "uploads") {
        return Error{Errc::conflict,
                     "A team can have at most " + std::to_string(queue::kTeamUploads) +
                         " uploads in progress. Finish or delete one first.",
                     ""};
    }
    return Error{Errc::conflict,
                 "A team can have at most " + std::to_string(queue::kTeamDatasets) +
                     " datasets. Delete one first.",
                 ""};
}

Statement appending(DatasetId id, queue::UploadStep step) {
    std::vector<std::int64_t> firsts, records, failed, bytes;
    std::vector<Bytes> contents;
    for (jobs::DatasetChunk& chunk : step.chunks) {
        firsts.push_back(chunk.first_record);
        records.push_back(chunk.records);
        failed.push_back(chunk.failed);
        bytes.push_back(chunk.bytes);
        contents.push_back({std::move(chunk.content)});
    }
    return Statement::of(sql::datasets_append, id.value, step.from, step.to,
                         Bytes{std::move(step.reading)}, step.columns, step.ends, firsts, records,
                         failed, bytes, contents);
}

Statement enqueueing(const queue::NewJob& job, DatasetId id, double seconds_per_record,
                     double seconds_per_byte) {
    Maybe<std::string> name, key, unique_key;
    Maybe<double> timeout;
    Maybe<Bytes> fingerprint;
    if (!job.name.empty()) name = job.name;
    if (!job.unique_key.empty()) unique_key = job.unique_key;
    if (job.timeout) timeout = job.timeout->count();
    if (job.idempotency) {
        key = job.idempotency->key;
        fingerprint = Bytes{job.idempotency->fingerprint};
    }
    const auto& needs = job.plan.requirement;
    return Statement::of(sql::datasets_enqueue, job.team.value, job.submitter.value, job.kind,
                         job.kind_version, job.plan.args, name, to_json(job.labels), job.priority,
                         needs.device_class, needs.capability,
                         memory_bucket(needs.memory_bucket_mib), needs.model, key, fingerprint,
                         job.run_at, job.deadline, timeout, unique_key, id.value,
                         seconds_per_record, seconds_per_byte);
}

}  // namespace plimsoll::postgres
