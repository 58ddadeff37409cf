// Endpoints of webhooks and their deliveries.
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/webhooks/signature.hpp"

#include <algorithm>
#include <limits>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;
using webhooks::Delivery;
using webhooks::DeliveryId;
using webhooks::Webhook;
using webhooks::WebhookId;

namespace {

constexpr std::string_view kNoWebhook = "The webhook was not found.";

json editable_webhook(const Webhook& webhook) {
    return {{"name", webhook.name}, {"url", webhook.url}};
}

json webhook_json(const Webhook& webhook) {
    return {{"id", to_public(webhook.id)},
            {"name", webhook.name},
            {"url", webhook.url},
            {"version", content_version(editable_webhook(webhook))},
            {"user", {{"id", plimsoll::to_public(webhook.user)}, {"name", webhook.user_name}}},
            {"created_at", to_rfc3339(webhook.created_at)}};
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

Outcome<WebhookId> webhook_id_of(const Call& call) {
    const auto id = parse_public_id("hook", call.parameters.text("webhook_id").value_or(""));
    if (!id) return refuse(404, std::string(kNoWebhook));
    return WebhookId{*id};
}

Response webhook_response(const Webhook& webhook) {
    return with_version(json_response(200, webhook_json(webhook)), editable_webhook(webhook));
}

class Webhooks {
  public:
    Webhooks(webhooks::WebhookStore& store, const outbound::AllowList& allowed)
        : store_(store), allowed_(allowed) {}

    awaitable<Outcome<Response>> list(const Call& call) const {
        const auto webhooks = co_await store_.list(call.principal.team.id);
        if (!webhooks) co_return tl::unexpected<Problem>(webhooks.error());
        auto items = json::array();
        for (const auto& webhook : *webhooks) items.push_back(webhook_json(webhook));
        co_return list_by_id(call, std::move(items));
    }

    awaitable<Outcome<Response>> create(const Call& call) const {
        Webhook webhook;
        webhook.name = call.body.at("name").get<std::string>();
        webhook.url = call.body.at("url").get<std::string>();
        webhook.user = call.principal.user.id;
        webhook.user_name = call.principal.user.name;
        if (auto may = check_target(webhook.url); !may)
            co_return tl::unexpected<Problem>(may.error());
        const auto secret = webhooks::make_secret();
        const auto created = co_await store_.create(author_of(call), std::move(webhook), secret);
        if (!created) co_return tl::unexpected<Problem>(created.error());
        auto response = json_response(
            201, {{"webhook", webhook_json(*created)}, {"secret", webhooks::shown(secret)}});
        response.with("Location", "/v1/webhooks/" + to_public(created->id));
        co_return response;
    }

    awaitable<Outcome<Response>> get(const Call& call) const {
        const auto webhook = co_await named(call);
        if (!webhook) co_return tl::unexpected(webhook.error());
        co_return webhook_response(*webhook);
    }

    awaitable<Outcome<Response>> update(const Call& call) const {
        const auto id = webhook_id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto url = call.body.value("url", "");
        if (!url.empty()) {
            if (auto may = check_target(url); !may) co_return tl::unexpected<Problem>(may.error());
        }
        const auto author = co_await editor_of(call, named(call), editable_webhook);
        if (!author) co_return tl::unexpected(author.error());
        const auto updated = co_await store_.update(*author, *id, call.body.value("name", ""), url);
        if (!updated) co_return tl::unexpected<Problem>(updated.error());
        co_return webhook_response(*updated);
    }

    awaitable<Outcome<Response>> remove(const Call& call) const {
        const auto id = webhook_id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto removed = co_await store_.remove(author_of(call), *id);
        if (!removed) co_return tl::unexpected<Problem>(removed.error());
        co_return empty_response(204);
    }

    awaitable<Outcome<Response>> deliveries(const Call& call) const {
        const auto id = webhook_id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto before = page_cursor<DeliveryId>(call, "msg");
        if (!before) co_return tl::unexpected(before.error());
        const auto limit = static_cast<int>(page_limit(call)) + 1;
        auto found = co_await store_.deliveries(call.principal.team.id, *id, *before, limit);
        if (!found) co_return tl::unexpected<Problem>(found.error());
        co_return page_response(call, std::move(*found),
                                [](JsonWriter& page, const Delivery& delivery) {
                                    page.json(to_text(delivery_json(delivery)));
                                });
    }

    awaitable<Outcome<Response>> delivery(const Call& call) const {
        const auto webhook = webhook_id_of(call);
        if (!webhook) co_return tl::unexpected(webhook.error());
        const auto id = parse_public_id("msg", call.parameters.text("delivery_id").value_or(""));
        if (!id || *id == std::numeric_limits<std::int64_t>::max()) {
            co_return refuse(404, "The delivery was not found.");
        }
        const auto found =
            co_await store_.deliveries(call.principal.team.id, *webhook, DeliveryId{*id + 1}, 1);
        if (!found) co_return tl::unexpected<Problem>(found.error());
        if (found->empty() || found->front().id != DeliveryId{*id}) {
            co_return refuse(404, "The delivery was not found.");
        }
        co_return json_response(200, delivery_json(found->front()));
    }

    awaitable<Outcome<Response>> send_test(const Call& call) const {
        const auto id = webhook_id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto delivery = co_await store_.send_test(author_of(call), *id);
        if (!delivery) co_return tl::unexpected<Problem>(delivery.error());
        auto response = json_response(202, delivery_json(*delivery));
        response.with("Location",
                      "/v1/webhooks/" + to_public(*id) + "/deliveries/" + to_public(delivery->id));
        co_return response;
    }

  private:
    awaitable<Outcome<Webhook>> named(const Call& call) const {
        const auto id = webhook_id_of(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto webhooks = co_await store_.list(call.principal.team.id);
        if (!webhooks) co_return tl::unexpected<Problem>(webhooks.error());
        const auto found = std::ranges::find(*webhooks, *id, &Webhook::id);
        if (found == webhooks->end()) co_return refuse(404, std::string(kNoWebhook));
        co_return *found;
    }

    // The addresses of the name are checked when a notice is sent, because they may change.
    Result<void> check_target(const std::string& url) const {
        const auto target = outbound::parse_target(url);
        if (!target) return fail(Errc::invalid_input, target.error().message, "/url");
        if (allowed_.allows(*target)) return {};
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
    const auto webhooks = std::make_shared<const Webhooks>(store, allowed);
    handlers["listWebhooks"] = [webhooks](const Call& call) { return webhooks->list(call); };
    handlers["createWebhook"] = [webhooks](const Call& call) { return webhooks->create(call); };
    handlers["getWebhook"] = [webhooks](const Call& call) { return webhooks->get(call); };
    handlers["updateWebhook"] = [webhooks](const Call& call) { return webhooks->update(call); };
    handlers["deleteWebhook"] = [webhooks](const Call& call) { return webhooks->remove(call); };
    handlers["listWebhookDeliveries"] = [webhooks](const Call& call) {
        return webhooks->deliveries(call);
    };
    handlers["getWebhookDelivery"] = [webhooks](const Call& call) {
        return webhooks->delivery(call);
    };
    handlers["createWebhookDelivery"] = [webhooks](const Call& call) {
        return webhooks->send_test(call);
    };
}

}  // namespace plimsoll::http::endpoints
