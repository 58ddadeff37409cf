#include "server/teams/team_record_store.hpp"

#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"

#include <algorithm>
#include <stdexcept>

namespace plimsoll::postgres {

using jobs::Collection;
using jobs::TeamRecord;

namespace {

std::optional<UserId> member_of(Collection collection, const Author& author) {
    if (!collection.of_members) return std::nullopt;
    return author.user;
}

std::optional<std::string> audited(Collection collection, std::string_view action) {
    if (collection.written.empty()) return std::nullopt;
    return std::string(collection.name) + "." + std::string(action);
}

// What the server counts: the statement is in the kind's folder (server/kinds/<kind>/store/*.sql).
Statement count_records(Collection collection, int limit) {
    const auto name = "records." + std::string(collection.name) + ".list";
    const auto query = std::ranges::find(sql::all, name, &Query::name);
    if (query == std::end(sql::all)) throw std::logic_error("no statement " + name);
    return Statement::of(*query, limit);
}

TeamRecord to_counted_record(const Row& row) {
    TeamRecord record;
    record.id = record.name = row.get<std::string>("name");
    record.data = row.get<std::string>("data");
    return record;
}

TeamRecord to_record(Collection collection, const Row& row) {
    TeamRecord record;
    record.section = row.get<std::string>("section");
    record.name = row.get<std::optional<std::string>>("name").value_or("");
    record.id = collection.is_named ? record.name : std::to_string(row.get<std::int64_t>("id"));
    record.job = row.get<std::optional<JobId>>("job_id");
    record.data = row.get<std::optional<std::string>>("data").value_or("");
    record.author = row.get<std::optional<std::string>>("author").value_or("");
    record.created_at = row.get<Timestamp>("created_at");
    record.updated_at = row.get<Timestamp>("updated_at");
    return record;
}

Error full(Collection collection) {
    return {Errc::conflict,
            std::string(collection.of_members ? "You have " : "The team has ") +
                std::to_string(collection.max) + " " + std::string(collection.plural) +
                ", the maximum. Delete one first.",
            {}};
}

class TeamRecordStore final : public teams::TeamRecordStore {
  public:
    template <class T>
    using Answer = awaitable<Result<T>>;

    explicit TeamRecordStore(Pool& pool) : pool_(pool) {}

    Answer<std::vector<TeamRecord>> list(Collection collection, TeamId team,
                                         teams::RecordFilter filter) override {
        const bool is_counted = collection.max == 0;
        const auto limit = filter.limit.value_or(collection.max);
        auto statement = is_counted
                             ? count_records(collection, limit)
                             : Statement::of(sql::team_records_list, team, collection.name,
                                             filter.member, filter.job, filter.section, filter.name,
                                             limit, filter.with_data, collection.has_origins);
        CO_TRY(const auto rows, co_await run_in(pool_, in_team(team), std::move(statement)));
        std::vector<TeamRecord> records;
        for (const Row row : rows)
            records.push_back(is_counted ? to_counted_record(row) : to_record(collection, row));
        co_return records;
    }

    Answer<TeamRecord> put(Collection collection, Author author, TeamRecord record) override {
        CO_TRY(const auto rows,
               co_await run_in(
                   pool_, in_team(author.team),
                   Statement::of(sql::team_records_put, author.team, author.user, collection.name,
                                 member_of(collection, author), record.section,
                                 unless_empty(record.name), record.job, record.data, collection.max,
                                 author.seen, audited(collection, collection.written),
                                 collection.is_named, author.request_id)));
        if (rows.empty()) co_return fail(author.seen ? changed_meanwhile() : full(collection));
        auto kept = to_record(collection, rows[0]);
        kept.data = std::move(record.data);
        co_return kept;
    }

    Answer<void> remove(Collection collection, Author author, std::string id) override {
        std::optional<std::int64_t> number;
        std::optional<std::string> name;
        if (collection.is_named)
            name = std::move(id);
        else
            number = std::stoll(id);
        co_return found(
            co_await run_in(pool_, in_team(author.team),
                            Statement::of(sql::team_records_remove, author.team, author.user,
                                          collection.name, member_of(collection, author), number,
                                          name, audited(collection, "delete"), collection.is_named,
                                          author.request_id)),
            {Errc::not_found, "The " + std::string(collection.singular) + " was not found.", {}});
    }

  private:
    Pool& pool_;
};

}  // namespace

std::unique_ptr<teams::TeamRecordStore> make_team_record_store(Pool& pool) {
    return std::make_unique<TeamRecordStore>(pool);
}

}  // namespace plimsoll::postgres
