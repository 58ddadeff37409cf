#include "server/cli/commands.hpp"
#include "server/client/session.hpp"
#include "server/client/whole_list.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/list.hpp"
#include "server/terminal/members.hpp"
#include "server/terminal/removed.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using nlohmann::json;
using terminal::text_of;

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

int list_webhooks(const CommandContext& context) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    return show_list(context, client::whole_list(*api, "/v1/webhooks"),
                     {{"WEBHOOK", "NAME", "URL"}}, webhook_row,
                     "No webhooks yet: plimsoll webhooks add …");
}

int add_webhook(const CommandContext& context, const std::string& name, const std::string& url) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    auto made = api->post_json("/v1/webhooks", {{"name", name}, {"url", url}});
    if (!made) return refuse(context, made.error());
    if (context.json) {
        context.terminal.line(made->dump(2));
        return 0;
    }
    context.terminal.line(text_of(made->at("webhook"), "id"));
    context.terminal.line(text_of(*made, "secret"));
    context.terminal.note("Store this signing secret now; it will not be shown again.");
    return 0;
}

int remove_webhook(const CommandContext& context, const std::string& webhook_id) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    return show_removed(context, api->send("DELETE", path_of(webhook_id)), webhook_id);
}

int list_deliveries(const CommandContext& context, const std::string& webhook_id) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    return show_list(context, api->get_json(path_of(webhook_id) + "/deliveries"),
                     {{"NOTICE", "TYPE", "JOB", "STATE", "ATTEMPTS", "CREATED", "LAST ERROR"}},
                     delivery_row, "Nothing has been sent yet.");
}

int send_test(const CommandContext& context, const std::string& webhook_id) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    auto delivery = api->post_json(path_of(webhook_id) + "/deliveries", nullptr);
    if (!delivery) return refuse(context, delivery.error());
    context.terminal.line(context.json ? delivery->dump(2) : text_of(*delivery, "id"));
    return 0;
}

}  // namespace

void add_webhooks(CLI::App& app, CommandContext& context) {
    struct Options {
        std::string id;
        std::string name;
        std::string url;
    };
    const auto options = std::make_shared<Options>();
    auto* group = app.add_subcommand("webhooks", "Notify other programs when jobs end");
    group->require_subcommand(1);
    group->fallthrough();
    group->add_subcommand("list", "List the team's webhooks")->callback([&context] {
        context.exit_code = list_webhooks(context);
    });
    auto* add_command = group->add_subcommand("add", "Add a webhook and print its secret once");
    add_command->add_option("name", options->name, "Purpose of the webhook")->required();
    add_command->add_option("url", options->url, "URL to send notices to")->required();
    add_command->callback([&context, options] {
        context.exit_code = add_webhook(context, options->name, options->url);
    });
    const auto on_webhook = [&](const char* name, const char* help, auto run) {
        auto* command = group->add_subcommand(name, help);
        command->add_option("webhook", options->id, "ID of the webhook")->required();
        command->callback(
            [&context, options, run] { context.exit_code = run(context, options->id); });
    };
    on_webhook("remove", "Remove a webhook", remove_webhook);
    on_webhook("deliveries", "List deliveries, newest first", list_deliveries);
    on_webhook("test", "Send a test notice", send_test);
}

}  // namespace plimsoll::cli
