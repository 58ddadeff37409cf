#include "server/postgres/teams/baseline_store.hpp"

#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

using boost::asio::awaitable;
using teams::Baseline;
using teams::BaselineId;

namespace {

Baseline to_baseline(const Row& row) {
    Baseline baseline;
    baseline.id = BaselineId{row.get<std::int64_t>("id")};
    baseline.kind = row.get<std::string>("kind");
    baseline.comparison_key = row.get<std::string>("comparison_key");
    if (const auto job = row.get<std::optional<std::int64_t>>("job_id")) {
        baseline.job = JobId{*job};
    }
    baseline.pinned_by = row.get<std::optional<std::string>>("pinned_by").value_or("");
    baseline.pinned_at = row.get<Timestamp>("pinned_at");
    return baseline;
}

}  // namespace

awaitable<Result<Replies>> BaselineStore::run(TeamId team, Statement statement) {
    Batch batch;
    batch.push_back(in_team(team));
    batch.push_back(std::move(statement));
    co_return co_await pool_.run(std::move(batch), kCallTimeout);
}

awaitable<Result<std::vector<Baseline>>> BaselineStore::list(TeamId team) {
    auto replies = co_await run(team, Statement::of(sql::baselines_list));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<Baseline> found;
    for (const Row row : replies->back()) found.push_back(to_baseline(row));
    co_return found;
}

awaitable<Result<std::optional<BaselineStore::Found>>> BaselineStore::find(
    TeamId team, std::string kind, std::string comparison_key) {
    auto replies = co_await run(team, Statement::of(sql::baselines_find, kind, comparison_key));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return std::optional<Found>();
    const Row row = replies->back()[0];
    co_return Found{to_baseline(row), row.get<std::string>("summary")};
}

awaitable<Result<Baseline>> BaselineStore::pin(Author author, NewBaseline baseline) {
    auto replies = co_await run(
        author.team, Statement::of(sql::baselines_pin, author.team.value, author.user.value,
                                   baseline.kind, baseline.comparison_key, baseline.job.value,
                                   baseline.summary, author.request_id, teams::kBaselinesPerTeam));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) {
        co_return fail(Errc::conflict, "The team has " + std::to_string(teams::kBaselinesPerTeam) +
                                           " other baselines, the maximum. Delete one first.");
    }
    co_return to_baseline(replies->back()[0]);
}

awaitable<Result<void>> BaselineStore::remove(Author author, BaselineId id) {
    auto replies =
        co_await run(author.team, Statement::of(sql::baselines_delete, id.value, author.team.value,
                                                author.user.value, author.request_id));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(Errc::not_found, "The baseline was not found.");
    co_return Result<void>{};
}

}  // namespace plimsoll::postgres
