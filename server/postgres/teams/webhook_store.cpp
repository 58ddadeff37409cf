#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"
#include "server/webhooks/store.hpp"

namespace plimsoll::postgres {
using webhooks::Delivery;
using webhooks::DeliveryId;
using webhooks::Outgoing;
using webhooks::Webhook;
using webhooks::WebhookId;

namespace {

using Milliseconds = std::chrono::milliseconds;

Error no_such_webhook() { return {Errc::not_found, "The webhook was not found.", {}}; }

Webhook to_webhook(const Row& row) {
    return {row.get<WebhookId>("id"),
            row.get<std::string>("name"),
            row.get<std::string>("url"),
            row.get<std::string>("format"),
            row.get<std::string>("labels"),
            row.get<UserId>("user_id"),
            row.get<Maybe<std::string>>("user_name").value_or(""),
            row.get<Timestamp>("created_at")};
}

Delivery to_delivery(const Row& row) {
    Delivery delivery;
    delivery.id = row.get<DeliveryId>("id");
    delivery.type = row.get<std::string>("type");
    delivery.job = row.get<Maybe<JobId>>("job_id");
    delivery.created_at = row.get<Timestamp>("created_at");
    delivery.state = row.get<std::string>("state");
    delivery.attempts = row.get<int>("attempts");
    if (delivery.state == "pending") delivery.next_at = row.get<Timestamp>("next_at");
    delivery.status = row.get<std::optional<int>>("status");
    delivery.error = row.get<std::optional<std::string>>("error").value_or("");
    delivery.ended_at = row.get<std::optional<Timestamp>>("ended_at");
    return delivery;
}

Outgoing to_outgoing(const Row& row) {
    return {row.get<DeliveryId>("id"),     row.get<int>("attempt"),
            row.get<std::string>("type"),  row.get<Maybe<JobId>>("job_id"),
            row.get<std::string>("data"),  row.get<Timestamp>("created_at"),
            row.get<std::string>("url"),   row.get<std::string>("format"),
            row.get<std::string>("secret")};
}

class WebhookStore final : public webhooks::WebhookStore {
  public:
    explicit WebhookStore(Pool& pool) : pool_(pool) {}

    awaitable<Result<std::vector<Webhook>>> list(TeamId team) override {
        co_return every(co_await run_in(pool_, in_team(team), Statement::of(sql::webhooks_list)),
                        to_webhook);
    }

    awaitable<Result<Webhook>> update(Author author, WebhookId id, Webhook to) override {
        co_return first(
            co_await run_in(
                pool_, in_team(author.team),
                Statement::of(sql::webhooks_update, id, unless_empty(std::move(to.name)),
                              unless_empty(std::move(to.url)), author.team, author.user,
                              author.request_id, author.seen, unless_empty(std::move(to.format)),
                              unless_empty(std::move(to.labels)))),
            to_webhook, not_edited(author, no_such_webhook()));
    }

    awaitable<Result<Webhook>> create(Author author, Webhook webhook, std::string secret) override {
        CO_TRY(auto rows,
               co_await run_in(
                   pool_, in_team(author.team),
                   Statement::of(sql::webhooks_create, author.team, author.user, webhook.name,
                                 webhook.url, Bytes{std::move(secret)}, author.request_id,
                                 webhooks::kWebhooksPerTeam, webhook.format, webhook.labels)));
        if (rows.empty())
            co_return fail(team_limit_reached(webhooks::kWebhooksPerTeam, "webhooks"));
        webhook.id = rows[0].get<WebhookId>("id");
        webhook.created_at = rows[0].get<Timestamp>("created_at");
        co_return webhook;
    }

    awaitable<Result<void>> remove(Author author, WebhookId id) override {
        co_return found(co_await run_in(pool_, in_team(author.team),
                                        Statement::of(sql::webhooks_delete, id, author.team,
                                                      author.user, author.request_id)),
                        no_such_webhook());
    }

    awaitable<Result<std::vector<Delivery>>> deliveries(TeamId team, WebhookId id,
                                                        std::optional<DeliveryId> before,
                                                        int limit) override {
        auto replies = co_await run_in(pool_, kCallTimeout, in_team(team),
                                       Statement::of(sql::webhooks_exists, id),
                                       Statement::of(sql::webhooks_deliveries, id, before, limit));
        if (replies && (*replies)[1].empty()) co_return fail(no_such_webhook());
        co_return every(last(std::move(replies)), to_delivery);
    }

    awaitable<Result<Delivery>> send_test(Author author, WebhookId id) override {
        co_return first(co_await run_in(pool_, in_team(author.team),
                                        Statement::of(sql::webhooks_test, id, author.team,
                                                      author.user, author.request_id)),
                        to_delivery, no_such_webhook());
    }

  private:
    Pool& pool_;
};

class DeliveryQueue final : public webhooks::DeliveryQueue {
  public:
    explicit DeliveryQueue(Pool& pool) : pool_(pool) {}

    awaitable<Result<std::vector<Outgoing>>> claim(int limit, std::chrono::seconds lease,
                                                   int max_attempts,
                                                   std::vector<DeliveryId> under_way) override {
        std::vector<std::int64_t> busy;
        for (const auto id : under_way) busy.push_back(id.value);
        co_return every(co_await pool_.run(
                            Statement::of(sql::webhooks_claim, limit,
                                          static_cast<double>(lease.count()), max_attempts, busy),
                            kCallTimeout),
                        to_outgoing);
    }

    awaitable<Result<void>> settle(DeliveryId id, int attempt, webhooks::Attempted outcome,
                                   std::optional<Milliseconds> pause) override {
        std::optional<double> seconds;
        if (pause) seconds = std::chrono::duration<double>(*pause).count();
        co_return done(
            co_await pool_.run(Statement::of(sql::webhooks_settle, id, attempt, outcome.status,
                                             unless_empty(std::move(outcome.error)), seconds),
                               kCallTimeout));
    }

    awaitable<Result<int>> forget(int keep_days) override {
        co_return first(
            co_await pool_.run(Statement::of(sql::webhooks_forget, keep_days), kCallTimeout),
            to_done);
    }

  private:
    Pool& pool_;
};

}  // namespace

std::unique_ptr<webhooks::DeliveryQueue> make_delivery_queue(Pool& pool) {
    return std::make_unique<DeliveryQueue>(pool);
}

std::unique_ptr<webhooks::WebhookStore> make_webhook_store(Pool& pool) {
    return std::make_unique<WebhookStore>(pool);
}

}  // namespace plimsoll::postgres
