#include "server/postgres/teams/webhook_store.hpp"

#include "server/postgres/driver/optional.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {
using webhooks::awaitable;
using webhooks::Delivery;
using webhooks::DeliveryId;
using webhooks::Outgoing;
using webhooks::Webhook;
using webhooks::WebhookId;

namespace {

using Milliseconds = std::chrono::milliseconds;

Error no_such_webhook() {
    return {Errc::not_found, "The webhook was not found.", {}};
}

std::optional<JobId> job_of(const Row& row) {
    const auto job = row.get<std::optional<std::int64_t>>("job_id");
    return job ? std::optional(JobId{*job}) : std::nullopt;
}

Webhook to_webhook(const Row& row) {
    return {WebhookId{row.get<std::int64_t>("id")},
            row.get<std::string>("name"),
            row.get<std::string>("url"),
            UserId{row.get<std::int64_t>("user_id")},
            row.get<std::optional<std::string>>("user_name").value_or(""),
            row.get<Timestamp>("created_at")};
}

Delivery to_delivery(const Row& row) {
    Delivery delivery;
    delivery.id = DeliveryId{row.get<std::int64_t>("id")};
    delivery.type = row.get<std::string>("type");
    delivery.job = job_of(row);
    delivery.created_at = row.get<Timestamp>("created_at");
    delivery.state = row.get<std::string>("state");
    delivery.attempts = row.get<int>("attempts");
    if (delivery.state == "pending") delivery.next_at = row.get<Timestamp>("next_at");
    delivery.status = row.get<std::optional<int>>("status");
    delivery.error = row.get<std::optional<std::string>>("error").value_or("");
    delivery.ended_at = row.get<std::optional<Timestamp>>("ended_at");
    return delivery;
}

awaitable<Result<Replies>> run(Pool& pool, TeamId team, Statement first,
                               std::optional<Statement> second = {}) {
    Batch batch;
    batch.push_back(in_team(team));
    batch.push_back(std::move(first));
    if (second) batch.push_back(std::move(*second));
    co_return co_await pool.run(std::move(batch), kCallTimeout);
}

}  // namespace

awaitable<Result<std::vector<Webhook>>> WebhookStore::list(TeamId team) {
    auto replies = co_await run(pool_, team, Statement::of(sql::webhooks_list));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<Webhook> webhooks;
    for (const Row row : replies->back()) webhooks.push_back(to_webhook(row));
    co_return webhooks;
}

awaitable<Result<Webhook>> WebhookStore::update(Author author, WebhookId id, std::string name,
                                                std::string url) {
    auto replies =
        co_await run(pool_, author.team,
                     Statement::of(sql::webhooks_update, id.value, unless_empty(std::move(name)),
                                   unless_empty(std::move(url)), author.team.value,
                                   author.user.value, author.request_id, author.seen));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(not_edited(author, no_such_webhook()));
    co_return to_webhook(replies->back()[0]);
}

awaitable<Result<Webhook>> WebhookStore::create(Author author, Webhook webhook,
                                                std::string secret) {
    auto replies =
        co_await run(pool_, author.team,
                     Statement::of(sql::webhooks_create, author.team.value, author.user.value,
                                   webhook.name, webhook.url, Bytes{std::move(secret)},
                                   author.request_id, webhooks::kWebhooksPerTeam));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) {
        co_return fail(Errc::conflict, "The team has " +
                                           std::to_string(webhooks::kWebhooksPerTeam) +
                                           " webhooks, the maximum. Delete one first.");
    }
    const Row row = replies->back()[0];
    webhook.id = WebhookId{row.get<std::int64_t>("id")};
    webhook.created_at = row.get<Timestamp>("created_at");
    co_return webhook;
}

awaitable<Result<void>> WebhookStore::remove(Author author, WebhookId id) {
    auto replies = co_await run(pool_, author.team,
                                Statement::of(sql::webhooks_delete, id.value, author.team.value,
                                              author.user.value, author.request_id));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(no_such_webhook());
    co_return Result<void>{};
}

awaitable<Result<std::vector<Delivery>>> WebhookStore::deliveries(TeamId team, WebhookId id,
                                                                  std::optional<DeliveryId> before,
                                                                  int limit) {
    std::optional<std::int64_t> below;
    if (before) below = before->value;
    auto replies = co_await run(pool_, team, Statement::of(sql::webhooks_exists, id.value),
                                Statement::of(sql::webhooks_deliveries, id.value, below, limit));
    if (!replies) co_return fail(std::move(replies.error()));
    if ((*replies)[1].empty()) co_return fail(no_such_webhook());
    std::vector<Delivery> deliveries;
    for (const Row row : replies->back()) deliveries.push_back(to_delivery(row));
    co_return deliveries;
}

awaitable<Result<Delivery>> WebhookStore::send_test(Author author, WebhookId id) {
    auto replies = co_await run(pool_, author.team,
                                Statement::of(sql::webhooks_test, id.value, author.team.value,
                                              author.user.value, author.request_id));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(no_such_webhook());
    co_return to_delivery(replies->back()[0]);
}

awaitable<Result<std::vector<Outgoing>>> DeliveryQueue::claim(int limit, std::chrono::seconds lease,
                                                              int most_attempts,
                                                              std::vector<DeliveryId> under_way) {
    std::vector<std::int64_t> busy;
    for (const auto id : under_way) busy.push_back(id.value);
    auto rows =
        co_await pool_.run(Statement::of(sql::webhooks_claim, limit,
                                         static_cast<double>(lease.count()), most_attempts, busy),
                           kCallTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    std::vector<Outgoing> due;
    for (const Row row : *rows) {
        due.push_back({DeliveryId{row.get<std::int64_t>("id")}, row.get<int>("attempt"),
                       row.get<std::string>("type"), job_of(row), row.get<std::string>("data"),
                       row.get<Timestamp>("created_at"), row.get<std::string>("url"),
                       row.get<std::string>("secret")});
    }
    co_return due;
}

awaitable<Result<void>> DeliveryQueue::settle(DeliveryId id, int attempt,
                                              webhooks::Attempted outcome,
                                              std::optional<Milliseconds> pause) {
    std::optional<std::string> error;
    if (!outcome.error.empty()) error = std::move(outcome.error);
    std::optional<double> seconds;
    if (pause) seconds = std::chrono::duration<double>(*pause).count();
    auto rows = co_await pool_.run(Statement::of(sql::webhooks_settle, id.value, attempt,
                                                 outcome.status, std::move(error), seconds),
                                   kCallTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    co_return Result<void>{};
}

awaitable<Result<int>> DeliveryQueue::forget(int keep_days) {
    auto rows = co_await pool_.run(Statement::of(sql::webhooks_forget, keep_days), kCallTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    co_return (*rows)[0].get<int>("done");
}

}  // namespace plimsoll::postgres
