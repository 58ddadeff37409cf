#include "server/postgres/teams/advice_store.hpp"

#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {
using advice::awaitable;
using advice::Card;
using advice::Measurement;
using advice::MeasurementId;

awaitable<Result<Replies>> AdviceStore::run(TeamId team, Statement statement) {
    Batch batch;
    batch.push_back(in_team(team));
    batch.push_back(std::move(statement));
    co_return co_await pool_.run(std::move(batch), kCallTimeout);
}

awaitable<Result<std::vector<Card>>> AdviceStore::cards(TeamId team) {
    auto replies = co_await run(team, Statement::of(sql::advice_cards));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<Card> cards;
    for (const Row row : replies->back()) {
        cards.push_back({row.get<std::string>("id"), row.get<std::string>("definition")});
    }
    co_return cards;
}

awaitable<Result<void>> AdviceStore::put_card(Author author, Card card) {
    auto replies =
        co_await run(author.team, Statement::of(sql::advice_put_card, author.team.value,
                                                author.user.value, card.id, card.definition,
                                                author.request_id, advice::kCardsPerTeam));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) {
        co_return fail(Errc::conflict, "The team has " + std::to_string(advice::kCardsPerTeam) +
                                           " GPU profiles of its own, the most it may have.");
    }
    co_return Result<void>{};
}

awaitable<Result<void>> AdviceStore::remove_card(Author author, std::string id) {
    auto replies =
        co_await run(author.team, Statement::of(sql::advice_delete_card, id, author.team.value,
                                                author.user.value, author.request_id));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) {
        co_return fail(Errc::not_found, "The team has no such GPU profile.");
    }
    co_return Result<void>{};
}

awaitable<Result<std::vector<Measurement>>> AdviceStore::measurements(TeamId team,
                                                                      std::optional<JobId> job,
                                                                      int limit) {
    std::optional<std::int64_t> of;
    if (job) of = job->value;
    auto replies = co_await run(team, Statement::of(sql::advice_measurements, of, limit));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<Measurement> found;
    for (const Row row : replies->back()) {
        Measurement m;
        m.id = MeasurementId{row.get<std::int64_t>("id")};
        if (const auto id = row.get<std::optional<std::int64_t>>("job_id")) m.job = JobId{*id};
        m.comparison_key = row.get<std::string>("comparison_key");
        m.predicted_bytes = row.get<std::int64_t>("predicted_bytes");
        m.measured_bytes = row.get<std::int64_t>("measured_bytes");
        m.data = row.get<std::string>("data");
        m.created_at = row.get<Timestamp>("created_at");
        found.push_back(std::move(m));
    }
    co_return found;
}

awaitable<Result<Measurement>> AdviceStore::add_measurement(Author author, Measurement m) {
    std::optional<std::int64_t> job;
    if (m.job) job = m.job->value;
    auto replies =
        co_await run(author.team, Statement::of(sql::advice_add_measurement, author.team.value,
                                                author.user.value, job, m.comparison_key,
                                                m.predicted_bytes, m.measured_bytes, m.data,
                                                author.request_id, advice::kMeasurementsPerTeam));
    if (!replies) co_return fail(std::move(replies.error()));
    const Row row = replies->back()[0];
    m.id = MeasurementId{row.get<std::int64_t>("id")};
    m.created_at = row.get<Timestamp>("created_at");
    co_return m;
}

awaitable<Result<void>> AdviceStore::remove_measurement(Author author, MeasurementId id) {
    auto replies = co_await run(
        author.team, Statement::of(sql::advice_delete_measurement, id.value, author.team.value,
                                   author.user.value, author.request_id));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(Errc::not_found, "There is no such measurement.");
    co_return Result<void>{};
}

}  // namespace plimsoll::postgres
