#include "server/cli/resource.hpp"
namespace plimsoll::cli {
namespace {

std::string path_of(const std::string& webhook_id) { return "/v1/webhooks/" + webhook_id; }

std::vector<std::string> webhook_row(const json& webhook) {
    return {text_of(webhook, "id"), text_of(webhook, "name"), text_of(webhook, "format"),
            text_of(webhook, "url")};
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

struct Options {
    std::string id;
    std::string name;
    std::string url;
    std::string format = "plimsoll";
    std::vector<std::string> labels;
};

void add_webhook(const CommandContext& context, const Options& options) {
    auto api = need(client::signed_in());
    auto made = need(api.post_json("/v1/webhooks", {{"name", options.name},
                                                    {"url", options.url},
                                                    {"format", options.format},
                                                    {"labels", labels_of(options.labels)}}));
    if (context.json) return context.terminal.line(made.dump(2));
    context.terminal.line(text_of(made.at("webhook"), "id"));
    context.terminal.line(text_of(made, "secret"));
    context.terminal.note("Store this signing secret now; it will not be shown again.");
}

void list_deliveries(const CommandContext& context, const std::string& webhook_id) {
    auto api = need(client::signed_in());
    return show_list(context, api.get_json(path_of(webhook_id) + "/deliveries"),
                     {{"NOTICE", "TYPE", "JOB", "STATE", "ATTEMPTS", "CREATED", "LAST ERROR"}},
                     delivery_row, "Nothing has been sent yet.");
}

void send_test(const CommandContext& context, const std::string& webhook_id) {
    auto api = need(client::signed_in());
    auto delivery = need(api.post_json(path_of(webhook_id) + "/deliveries", nullptr));
    print_answer(context, delivery, text_of(delivery, "id"));
}

}  // namespace

void add_webhooks(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<Options>();
    auto* group = add_resource(app, "webhooks", "Notify other programs when jobs end");
    add_list(group, context,
             {"List the team's webhooks",
              "/v1/webhooks",
              {"WEBHOOK", "NAME", "FORMAT", "URL"},
              webhook_row,
              "No webhooks yet: plimsoll webhooks add …"});
    auto* add_command = group->add_subcommand("add", "Add a webhook and print its secret once");
    add_command->add_option("name", options->name, "Purpose of the webhook")->required();
    add_command
        ->add_option("url", options->url,
                     "URL to send notices to; mailto:desk@example.com for mail")
        ->required();
    add_command
        ->add_option("--format", options->format,
                     "Signed JSON for programs, or a message for Slack or Microsoft Teams")
        ->check(CLI::IsMember({"plimsoll", "slack", "teams"}));
    add_command->add_option("--label", options->labels,
                            "Announce only jobs with this label: key=value; repeatable");
    add_command->callback([&context, options] { add_webhook(context, *options); });
    const auto on_webhook = [&](const char* name, const char* help, auto run) {
        auto* command = group->add_subcommand(name, help);
        command->add_option("webhook", options->id, "ID of the webhook")->required();
        command->callback([&context, options, run] { run(context, options->id); });
    };
    on_webhook("remove", "Remove a webhook", [](const CommandContext& c, const std::string& id) {
        remove_item(c, "/v1/webhooks", id);
    });
    on_webhook("deliveries", "List deliveries, newest first", list_deliveries);
    on_webhook("test", "Send a test notice", send_test);
}

}  // namespace plimsoll::cli
