#include "server/postgres/driver/statement.hpp"
#include "server/postgres/jobs/enqueue.hpp"
#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/jobs/submit.hpp"
#include "server/postgres/pool/contents.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"
#include "server/queue/dataset.hpp"

#include <optional>
#include <stdexcept>

namespace plimsoll::postgres {

namespace {

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

// The exceeded limit; nullopt if the dataset was created.
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

// A step brings megabytes, which may wait for a disk.
constexpr std::chrono::seconds kStepTimeout{30};

Error no_such_dataset() { return {Errc::not_found, "The dataset was not found.", {}}; }

Result<queue::Dataset> only(Result<Rows> rows) {
    return first(std::move(rows), to_dataset, no_such_dataset());
}

class DatasetStore final : public queue::DatasetStore {
  public:
    DatasetStore(Pool& pool, outbound::ObjectStore* objects) : pool_(pool), objects_(objects) {}

    awaitable<Result<queue::Dataset>> create(queue::NewDataset dataset) override {
        CO_TRY(auto made, co_await run_in(pool_, in_team(dataset.team), creation(dataset)));
        const Row row = made[0];
        if (auto broken = broken_limit(row)) co_return fail(std::move(*broken));
        co_return co_await get(dataset.team, row.get<DatasetId>("id"));
    }

    awaitable<Result<queue::Dataset>> get(TeamId team, DatasetId id) override {
        co_return only(co_await run_in(pool_, in_team(team), Statement::of(sql::datasets_get, id)));
    }

    awaitable<Result<std::vector<queue::Dataset>>> list(TeamId team,
                                                        std::optional<DatasetId> before,
                                                        int limit) override {
        co_return every(
            co_await run_in(pool_, in_team(team), Statement::of(sql::datasets_list, before, limit)),
            to_dataset);
    }

    awaitable<Result<queue::Upload>> upload(TeamId team, DatasetId id) override {
        CO_TRY(auto replies, co_await run_in(pool_, kCallTimeout, in_team(team),
                                             Statement::of(sql::datasets_get, id),
                                             Statement::of(sql::datasets_reading, id)));
        CO_TRY(auto dataset, only(std::move((replies)[1])));
        queue::Upload upload{std::move(dataset), {}};
        if (!replies.back().empty()) {
            upload.reading =
                replies.back()[0].get<std::optional<std::string>>("reading").value_or("");
        }
        co_return upload;
    }

    awaitable<Result<queue::Dataset>> append(TeamId team, DatasetId id,
                                             queue::UploadStep step) override {
        for (jobs::DatasetChunk& chunk : step.chunks) {
            CO_TRY(chunk.content,
                   co_await keep(objects_, dataset_folder(id), std::move(chunk.content)));
        }
        auto replies =
            co_await run_in(pool_, kStepTimeout, in_team(team), appending(id, std::move(step)),
                            Statement::of(sql::datasets_get, id));
        const bool is_appended = replies && !(*replies)[1].empty();
        auto dataset = only(last(std::move(replies)));
        if (dataset && !is_appended) {
            co_return fail(Errc::conflict,
                           "This upload was continued by another request at the same time.");
        }
        co_return dataset;
    }

    awaitable<Result<queue::Dataset>> reject(TeamId team, DatasetId id, std::string why) override {
        co_return only(last(co_await run_in(pool_, kStepTimeout, in_team(team),
                                            Statement::of(sql::datasets_reject, id, std::move(why)),
                                            Statement::of(sql::datasets_get, id))));
    }

    awaitable<Result<void>> remove(TeamId team, UserId by, DatasetId id) override {
        CO_TRY(auto replies, co_await run_in(pool_, kStepTimeout, in_team(team),
                                             Statement::of(sql::datasets_delete, team, id, by)));
        const auto outcome = replies.back()[0].get<std::string>("outcome");
        if (outcome == "not_found") co_return fail(no_such_dataset());
        if (outcome == "in_use") {
            co_return fail(Errc::conflict,
                           "A job on this dataset has not finished yet: cancel it first.");
        }
        co_return Result<void>{};
    }

    awaitable<Result<std::vector<queue::DatasetChunkInfo>>> chunks(TeamId team,
                                                                   DatasetId id) override {
        auto replies = co_await run_in(pool_, kCallTimeout, in_team(team),
                                       Statement::of(sql::datasets_get, id),
                                       Statement::of(sql::datasets_chunks, id));
        if (replies && (*replies)[1].empty()) co_return fail(no_such_dataset());
        co_return every(last(std::move(replies)), to_dataset_chunk);
    }

    awaitable<Result<std::string>> chunk(TeamId team, DatasetId id, int seq) override {
        auto held = first(
            co_await run_in(pool_, in_team(team), Statement::of(sql::datasets_chunk, id, seq)),
            to_content, no_such_dataset());
        co_return co_await fetch(objects_, dataset_folder(id), std::move(held));
    }

    awaitable<Result<queue::Submitted>> submit(queue::NewJob job, DatasetId id,
                                               double seconds_per_record,
                                               double seconds_per_byte) override {
        const auto* const only = &job;
        CO_TRY(auto replies,
               co_await run_in(pool_, kStepTimeout, in_team(job.team, traces_of({&only, 1})),
                               enqueueing(job, id, seconds_per_record, seconds_per_byte)));
        const Row row = replies.back()[0];
        const auto outcome = row.get<std::string>("outcome");
        if (outcome == "no_dataset") co_return fail(no_such_dataset());
        co_return to_submitted(row);
    }

  private:
    Pool& pool_;
    outbound::ObjectStore* objects_;
};

}  // namespace

std::unique_ptr<queue::DatasetStore> make_dataset_store(Pool& pool,
                                                        outbound::ObjectStore* objects) {
    return std::make_unique<DatasetStore>(pool, objects);
}

}  // namespace plimsoll::postgres
