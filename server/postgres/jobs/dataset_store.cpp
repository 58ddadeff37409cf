#include "server/postgres/jobs/dataset_store.hpp"

#include "server/postgres/jobs/dataset_rows.hpp"
#include "server/postgres/jobs/group_commit.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

using queue::awaitable;

namespace {

// A step brings megabytes, which may wait for a disk.
constexpr std::chrono::seconds kStepTimeout{30};

Error no_such_dataset() {
    return {Errc::not_found, "The dataset was not found.", {}};
}

template <class... Statements>
Batch in_scope(TeamId team, Statements&&... statements) {
    Batch batch;
    batch.push_back(in_team(team));
    (batch.push_back(std::forward<Statements>(statements)), ...);
    return batch;
}

Result<queue::Dataset> only(const Rows& rows) {
    if (rows.empty()) return fail(no_such_dataset());
    return to_dataset(rows[0]);
}

}  // namespace

awaitable<Result<queue::Dataset>> DatasetStore::create(queue::NewDataset dataset) {
    auto made = co_await pool_.run(in_scope(dataset.team, creation(dataset)), kCallTimeout);
    if (!made) co_return fail(std::move(made.error()));
    const Row row = made->back()[0];
    if (auto broken = broken_limit(row)) co_return fail(std::move(*broken));
    co_return co_await get(dataset.team, DatasetId{row.get<std::int64_t>("id")});
}

awaitable<Result<queue::Dataset>> DatasetStore::get(TeamId team, DatasetId id) {
    auto replies = co_await pool_.run(in_scope(team, Statement::of(sql::datasets_get, id.value)),
                                      kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    co_return only(replies->back());
}

awaitable<Result<std::vector<queue::Dataset>>> DatasetStore::list(TeamId team,
                                                                  std::optional<DatasetId> before,
                                                                  int limit) {
    std::optional<std::int64_t> cursor;
    if (before) cursor = before->value;
    auto replies = co_await pool_.run(
        in_scope(team, Statement::of(sql::datasets_list, cursor, limit)), kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<queue::Dataset> datasets;
    for (const Row row : replies->back()) datasets.push_back(to_dataset(row));
    co_return datasets;
}

awaitable<Result<queue::Upload>> DatasetStore::upload(TeamId team, DatasetId id) {
    auto replies = co_await pool_.run(in_scope(team, Statement::of(sql::datasets_get, id.value),
                                               Statement::of(sql::datasets_reading, id.value)),
                                      kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    auto dataset = only((*replies)[1]);
    if (!dataset) co_return fail(std::move(dataset.error()));
    queue::Upload upload{std::move(*dataset), {}};
    if (!replies->back().empty()) {
        upload.reading = replies->back()[0].get<std::optional<std::string>>("reading").value_or("");
    }
    co_return upload;
}

awaitable<Result<queue::Dataset>> DatasetStore::append(TeamId team, DatasetId id,
                                                       queue::UploadStep step) {
    auto replies = co_await pool_.run(
        in_scope(team, appending(id, std::move(step)), Statement::of(sql::datasets_get, id.value)),
        kStepTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    auto dataset = only(replies->back());
    if (dataset && (*replies)[1].empty()) {
        co_return fail(Errc::conflict,
                       "This upload was continued by another request at the same time.");
    }
    co_return dataset;
}

awaitable<Result<queue::Dataset>> DatasetStore::reject(TeamId team, DatasetId id, std::string why) {
    auto replies = co_await pool_.run(
        in_scope(team, Statement::of(sql::datasets_reject, id.value, std::move(why)),
                 Statement::of(sql::datasets_get, id.value)),
        kStepTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    co_return only(replies->back());
}

awaitable<Result<void>> DatasetStore::remove(TeamId team, UserId by, DatasetId id) {
    auto replies = co_await pool_.run(
        in_scope(team, Statement::of(sql::datasets_delete, team.value, id.value, by.value)),
        kStepTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    const auto outcome = replies->back()[0].get<std::string>("outcome");
    if (outcome == "not_found") co_return fail(no_such_dataset());
    if (outcome == "in_use") {
        co_return fail(Errc::conflict,
                       "A job on this dataset has not finished yet: cancel it first.");
    }
    co_return Result<void>{};
}

awaitable<Result<std::vector<queue::DatasetChunkInfo>>> DatasetStore::chunks(TeamId team,
                                                                             DatasetId id) {
    auto replies = co_await pool_.run(in_scope(team, Statement::of(sql::datasets_get, id.value),
                                               Statement::of(sql::datasets_chunks, id.value)),
                                      kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    if ((*replies)[1].empty()) co_return fail(no_such_dataset());
    std::vector<queue::DatasetChunkInfo> chunks;
    for (const Row row : replies->back()) {
        chunks.push_back({row.get<int>("seq"), row.get<std::int64_t>("first_record"),
                          row.get<std::int64_t>("records"), row.get<std::int64_t>("failed")});
    }
    co_return chunks;
}

awaitable<Result<std::string>> DatasetStore::chunk(TeamId team, DatasetId id, int seq) {
    auto replies = co_await pool_.run(
        in_scope(team, Statement::of(sql::datasets_chunk, id.value, seq)), kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(no_such_dataset());
    co_return replies->back()[0].get<std::string>("content");
}

awaitable<Result<queue::Submitted>> DatasetStore::submit(queue::NewJob job, DatasetId id,
                                                         double seconds_per_record,
                                                         double seconds_per_byte) {
    auto replies = co_await pool_.run(
        in_scope(job.team, enqueueing(job, id, seconds_per_record, seconds_per_byte)),
        kStepTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    const Row row = replies->back()[0];
    const auto outcome = row.get<std::string>("outcome");
    if (outcome == "no_dataset") co_return fail(no_such_dataset());
    co_return to_submitted(row);
}

}  // namespace plimsoll::postgres
