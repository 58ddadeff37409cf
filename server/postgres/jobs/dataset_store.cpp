#include "server/postgres/jobs/dataset_store.hpp"

#include "server/postgres/jobs/dataset_rows.hpp"
#include "server/postgres/jobs/group_commit.hpp"
#include "server/postgres/jobs/job_rows.hpp"
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

Result<queue::Dataset> only(Result<Rows> rows) {
    return first(std::move(rows), to_dataset, no_such_dataset());
}

}  // namespace

awaitable<Result<queue::Dataset>> DatasetStore::create(queue::NewDataset dataset) {
    auto made = co_await run_in(pool_, in_team(dataset.team), creation(dataset));
    if (!made) co_return fail(std::move(made.error()));
    const Row row = (*made)[0];
    if (auto broken = broken_limit(row)) co_return fail(std::move(*broken));
    co_return co_await get(dataset.team, row.get<DatasetId>("id"));
}

awaitable<Result<queue::Dataset>> DatasetStore::get(TeamId team, DatasetId id) {
    co_return only(co_await run_in(pool_, in_team(team), Statement::of(sql::datasets_get, id)));
}

awaitable<Result<std::vector<queue::Dataset>>> DatasetStore::list(TeamId team,
                                                                  std::optional<DatasetId> before,
                                                                  int limit) {
    co_return every(
        co_await run_in(pool_, in_team(team), Statement::of(sql::datasets_list, before, limit)),
        to_dataset);
}

awaitable<Result<queue::Upload>> DatasetStore::upload(TeamId team, DatasetId id) {
    auto replies =
        co_await run_in(pool_, kCallTimeout, in_team(team), Statement::of(sql::datasets_get, id),
                        Statement::of(sql::datasets_reading, id));
    if (!replies) co_return fail(std::move(replies.error()));
    auto dataset = only(std::move((*replies)[1]));
    if (!dataset) co_return fail(std::move(dataset.error()));
    queue::Upload upload{std::move(*dataset), {}};
    if (!replies->back().empty()) {
        upload.reading = replies->back()[0].get<std::optional<std::string>>("reading").value_or("");
    }
    co_return upload;
}

awaitable<Result<queue::Dataset>> DatasetStore::append(TeamId team, DatasetId id,
                                                       queue::UploadStep step) {
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

awaitable<Result<queue::Dataset>> DatasetStore::reject(TeamId team, DatasetId id, std::string why) {
    co_return only(last(co_await run_in(pool_, kStepTimeout, in_team(team),
                                        Statement::of(sql::datasets_reject, id, std::move(why)),
                                        Statement::of(sql::datasets_get, id))));
}

awaitable<Result<void>> DatasetStore::remove(TeamId team, UserId by, DatasetId id) {
    auto replies = co_await run_in(pool_, kStepTimeout, in_team(team),
                                   Statement::of(sql::datasets_delete, team, id, by));
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
    auto replies =
        co_await run_in(pool_, kCallTimeout, in_team(team), Statement::of(sql::datasets_get, id),
                        Statement::of(sql::datasets_chunks, id));
    if (replies && (*replies)[1].empty()) co_return fail(no_such_dataset());
    co_return every(last(std::move(replies)), to_dataset_chunk);
}

awaitable<Result<std::string>> DatasetStore::chunk(TeamId team, DatasetId id, int seq) {
    co_return first(
        co_await run_in(pool_, in_team(team), Statement::of(sql::datasets_chunk, id, seq)),
        to_content, no_such_dataset());
}

awaitable<Result<queue::Submitted>> DatasetStore::submit(queue::NewJob job, DatasetId id,
                                                         double seconds_per_record,
                                                         double seconds_per_byte) {
    auto replies = co_await run_in(pool_, kStepTimeout, in_team(job.team),
                                   enqueueing(job, id, seconds_per_record, seconds_per_byte));
    if (!replies) co_return fail(std::move(replies.error()));
    const Row row = replies->back()[0];
    const auto outcome = row.get<std::string>("outcome");
    if (outcome == "no_dataset") co_return fail(no_such_dataset());
    co_return to_submitted(row);
}

}  // namespace plimsoll::postgres
