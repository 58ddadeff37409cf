#include "server/cli/rest_commands.hpp"
#include "server/terminal/list.hpp"
#include "server/terminal/members.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::client {
namespace {

using nlohmann::json;

std::string path_of(const std::string& webhook_id) {
    return "/v1/webhooks/" + webhook_id;
}

std::vector<std::string> webhook_row(const json& webhook) {
    return {text_of(webhook, "id"), text_of(webhook, "name"), text_of(webhook, "url")};
}

std::vector<std::string> delivery_row(const json& delivery) {
    return {text_of(delivery, "id"),
            text_of(delivery, "type"),
            text_of(delivery, "job_id"),
            text_of(delivery, "state"),
            std::to_string(delivery.value("attempts", 0)),
            text_of(delivery, "created_at"),
            text_of(delivery, "error")};
}

}  // namespace

int list_webhooks(const Session& session) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    return show_list(session, api->get_json("/v1/webhooks"), {{"WEBHOOK", "NAME", "URL"}},
                     webhook_row, "No webhooks yet: plimsoll webhooks add …");
}

int add_webhook(const Session& session, const std::string& name, const std::string& url) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto made = api->post_json("/v1/webhooks", {{"name", name}, {"url", url}});
    if (!made) return report_error(session, made.error());
    if (session.json) {
        session.terminal.line(made->dump(2));
        return 0;
    }
    session.terminal.line(text_of(made->at("webhook"), "id"));
    session.terminal.line(text_of(*made, "secret"));
    session.terminal.note("The secret, which signs the notices, is shown this once.");
    return 0;
}

int remove_webhook(const Session& session, const std::string& webhook_id) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto removed = api->send("DELETE", path_of(webhook_id));
    return removed ? 0 : report_error(session, removed.error());
}

int list_deliveries(const Session& session, const std::string& webhook_id) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    return show_list(session, api->get_json(path_of(webhook_id) + "/deliveries"),
                     {{"NOTICE", "TYPE", "JOB", "STATE", "ATTEMPTS", "CREATED", "LAST ERROR"}},
                     delivery_row, "Nothing was sent yet.");
}

int test_webhook(const Session& session, const std::string& webhook_id) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto delivery = api->post_json(path_of(webhook_id) + "/deliveries", nullptr);
    if (!delivery) return report_error(session, delivery.error());
    session.terminal.line(session.json ? delivery->dump(2) : text_of(*delivery, "id"));
    return 0;
}

}  // namespace plimsoll::client
