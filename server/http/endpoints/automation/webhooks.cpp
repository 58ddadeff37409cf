// Endpoints of webhooks and their deliveries.
#include "engine/base/json.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/webhooks/signature.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using webhooks::Delivery;
using webhooks::DeliveryId;
using webhooks::Webhook;
using webhooks::WebhookId;

namespace {

constexpr const char* kNoWebhook = "The webhook was not found.";

json editable_webhook(const Webhook& webhook) {
    return {{"name", webhook.name},
            {"url", webhook.url},
            {"format", webhook.format},
            {"labels", json::parse(webhook.labels)}};
}

json webhook_json(const Webhook& webhook) {
    auto shown = editable_webhook(webhook);
    shown["version"] = content_version(shown);
    shown["id"] = to_public(webhook.id);
    shown["user"] = {{"id", plimsoll::to_public(webhook.user)}, {"name", webhook.user_name}};
    shown["created_at"] = to_rfc3339(webhook.created_at);
    return shown;
}

json delivery_json(const Delivery& delivery) {
    return {{"id", to_public(delivery.id)},
            {"type", delivery.type},
            {"job_id", delivery.job ? json(plimsoll::to_public(*delivery.job)) : json(nullptr)},
            {"state", delivery.state},
            {"attempts", delivery.attempts},
            {"status", delivery.status ? json(*delivery.status) : json(nullptr)},
            {"error", text_or_null(delivery.error)},
            {"created_at", to_rfc3339(delivery.created_at)},
            {"next_attempt_at", time_or_null(delivery.next_at)},
            {"finished_at", time_or_null(delivery.ended_at)}};
}

WebhookId webhook_id_of(const Call& call) {
    return parse_id<WebhookId>("hook", call.parameters.text("webhook_id"), kNoWebhook);
}

Response webhook_response(const Webhook& webhook) {
    return with_version(json_response(200, webhook_json(webhook)), editable_webhook(webhook));
}

class Webhooks {
  public:
    Webhooks(webhooks::WebhookStore& store, const outbound::AllowList& allowed)
        : store_(store), allowed_(allowed) {}

    awaitable<Response> list(const Call& call) const {
        const auto webhooks = need(co_await store_.list(call.principal.team.id));
        co_return list_by_id(call, array_of(webhooks, webhook_json));
    }

    awaitable<Response> create(const Call& call) const {
        auto webhook = given(call.body);
        if (webhook.format.empty()) webhook.format = "plimsoll";
        if (webhook.labels.empty()) webhook.labels = "{}";
        webhook.user = call.principal.user.id;
        webhook.user_name = call.principal.user.name;
        need(check_target(webhook.url));
        const auto secret = webhooks::make_secret();
        const auto created =
            need(co_await store_.create(author_of(call), std::move(webhook), secret));
        co_return located(json_response(201, {{"webhook", webhook_json(created)},
                                              {"secret", webhooks::shown(secret)}}),
                          "/v1/webhooks/" + to_public(created.id));
    }

    awaitable<Response> update(const Call& call) const {
        const auto id = webhook_id_of(call);
        auto to = given(call.body);
        if (!to.url.empty()) need(check_target(to.url));
        const auto author = co_await editor_of(call, named(call), editable_webhook);
        co_return webhook_response(need(co_await store_.update(author, id, std::move(to))));
    }

    awaitable<Response> remove(const Call& call) const {
        const auto id = webhook_id_of(call);
        need(co_await store_.remove(author_of(call), id));
        co_return empty_response(204);
    }

    awaitable<Response> deliveries(const Call& call) const {
        const auto id = webhook_id_of(call);
        const auto before = page_cursor<DeliveryId>(call, "msg");
        auto found =
            need(co_await store_.deliveries(call.principal.team.id, id, before, peek_limit(call)));
        co_return page_response(call, std::move(found), delivery_json, place_by_id<Delivery>);
    }

    awaitable<Response> send_test(const Call& call) const {
        const auto id = webhook_id_of(call);
        const auto delivery = need(co_await store_.send_test(author_of(call), id));
        co_return json_response(202, delivery_json(delivery));
    }

  private:
    static Webhook given(const json& body) {
        Webhook webhook;
        webhook.name = body.value("name", "");
        webhook.url = body.value("url", "");
        webhook.format = body.value("format", "");
        if (body.contains("labels")) webhook.labels = body.at("labels").dump();
        return webhook;
    }

    awaitable<Webhook> named(const Call& call) const {
        const auto id = webhook_id_of(call);
        const auto webhooks = need(co_await store_.list(call.principal.team.id));
        const auto found = std::ranges::find(webhooks, id, &Webhook::id);
        if (found == webhooks.end()) throw Refused(404, kNoWebhook);
        co_return *found;
    }

    // The addresses of the name are checked when a notice is sent, because they may change.
    Result<void> check_target(const std::string& url) const {
        if (url.starts_with(outbound::kMailto)) {
            const auto address = outbound::parse_mail_target(url);
            if (!address) return fail(Errc::invalid_input, address.error().message, "/url");
            if (allowed_.allows_mail(*address)) return {};
        } else {
            const auto target = outbound::parse_target(url);
            if (!target) return fail(Errc::invalid_input, target.error().message, "/url");
            if (allowed_.allows(*target)) return {};
        }
        return fail(
            Errc::invalid_input,
            allowed_.empty()
                ? "This server sends no notices: its setting webhooks.allowed_origins is empty."
                : "This origin is not in the server's setting webhooks.allowed_origins.",
            "/url");
    }

    webhooks::WebhookStore& store_;
    const outbound::AllowList& allowed_;
};

}  // namespace

void add_webhooks(Handlers& handlers, webhooks::WebhookStore& store,
                  const outbound::AllowList& allowed) {
    const Members on(handlers, std::make_shared<const Webhooks>(store, allowed));
    on("listWebhooks", &Webhooks::list);
    on("createWebhook", &Webhooks::create);
    on("updateWebhook", &Webhooks::update);
    on("deleteWebhook", &Webhooks::remove);
    on("listWebhookDeliveries", &Webhooks::deliveries);
    on("createWebhookDelivery", &Webhooks::send_test);
}

}  // namespace plimsoll::http::endpoints
