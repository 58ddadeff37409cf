#include "server/postgres/teams/team_record_store.hpp"

#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

using jobs::Collection;
using jobs::TeamRecord;

namespace {

constexpr std::string_view kPrefix = "records.";

std::optional<std::string> text_or_null(std::string text) {
    if (text.empty()) return std::nullopt;
    return text;
}

std::optional<std::int64_t> number_of(std::optional<JobId> job) {
    if (!job) return std::nullopt;
    return job->value;
}

}  // namespace

TeamRecordStore::TeamRecordStore(Pool& pool) : pool_(pool) {
    for (const Query& query : sql::all) {
        if (query.name.starts_with(kPrefix)) statements_.emplace(query.name, query);
    }
}

const Query& TeamRecordStore::statement(Collection collection, std::string_view verb) const {
    auto name = std::string(kPrefix) + std::string(collection.name) + "." + std::string(verb);
    return statements_.at(name);
}

TeamRecordStore::Answer<Replies> TeamRecordStore::run(TeamId team, Statement statement) {
    Batch batch;
    batch.push_back(in_team(team));
    batch.push_back(std::move(statement));
    co_return co_await pool_.run(std::move(batch), kCallTimeout);
}

TeamRecordStore::Answer<std::vector<TeamRecord>> TeamRecordStore::list(Collection collection,
                                                                       TeamId team,
                                                                       std::optional<JobId> job,
                                                                       int limit) {
    auto replies =
        co_await run(team, Statement::of(statement(collection, "list"), number_of(job), limit));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<TeamRecord> records;
    for (const Row row : replies->back()) {
        TeamRecord record;
        record.id = row.get<std::string>("id");
        record.key = row.get<std::string>("key");
        if (const auto of = row.get<std::optional<std::int64_t>>("job_id")) record.job = JobId{*of};
        record.data = row.get<std::string>("data");
        record.created_at = row.get<Timestamp>("created_at");
        records.push_back(std::move(record));
    }
    co_return records;
}

TeamRecordStore::Answer<TeamRecord> TeamRecordStore::put(Collection collection, Author author,
                                                         TeamRecord record) {
    auto replies =
        co_await run(author.team, Statement::of(statement(collection, "put"), author.team.value,
                                                author.user.value, text_or_null(record.id),
                                                number_of(record.job), record.data,
                                                author.request_id, collection.most, author.seen));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty() && author.seen) co_return fail(changed_meanwhile());
    if (replies->back().empty()) {
        co_return fail(Errc::conflict, "The team has " + std::to_string(collection.most) +
                                           " such records, the maximum. Delete one first.");
    }
    const Row row = replies->back()[0];
    record.id = row.get<std::string>("id");
    record.key = row.get<std::string>("key");
    record.created_at = row.get<Timestamp>("created_at");
    co_return record;
}

TeamRecordStore::Answer<void> TeamRecordStore::remove(Collection collection, Author author,
                                                      std::string id) {
    auto replies = co_await run(
        author.team, Statement::of(statement(collection, "remove"), id, author.team.value,
                                   author.user.value, author.request_id));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(Errc::not_found, "The record was not found.");
    co_return Result<void>{};
}

}  // namespace plimsoll::postgres
