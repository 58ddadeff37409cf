#include "server/base/time.hpp"
#include "server/cli/commands.hpp"
#include "server/client/job_id.hpp"
#include "server/client/whole_list.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/list.hpp"
#include "server/terminal/members.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using nlohmann::json;
using terminal::text_of;

struct LinkOptions {
    std::string job;
    std::string link;
    std::string note;
    int days = 7;
};

std::vector<std::string> link_row(const json& link) {
    const auto kind = text_of(link, "job_kind");
    return {text_of(link, "id"),
            text_of(link, "job_id"),
            kind.empty() ? "deleted" : text_of(link, "job_name"),
            text_of(link.at("created_by"), "name"),
            text_of(link, "expires_at"),
            format_count(link.value("opens", std::int64_t{0})),
            text_of(link, "note")};
}

void list_links(const CommandContext& context) {
    return show_list(context, client::whole_list("/v1/report-links"),
                     {{"LINK", "JOB", "NAME", "BY", "EXPIRES", "OPENED", "NOTE"}}, link_row,
                     "No report is shared: plimsoll links create JOB …");
}

void create_link(const CommandContext& context, LinkOptions options) {
    auto api = need(client::signed_in(options.job));
    const auto end = SystemClock().now() + std::chrono::days(options.days);
    json body = {{"expires_at", to_rfc3339(end)}};
    if (!options.note.empty()) body["note"] = options.note;
    const auto made = need(api.post_json("/v1/jobs/" + options.job + "/report-links", body));
    if (context.json) return context.terminal.line(made.dump(2));
    context.terminal.line(api.server() + text_of(made, "path"));
    context.terminal.note(
        "Anyone with this link can read the report until " +
        text_of(made.at("report_link"), "expires_at") +
        ". Store it now; it will not be shown again. To revoke it: plimsoll links "
        "revoke " +
        text_of(made.at("report_link"), "id"));
}

}  // namespace

void add_links(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<LinkOptions>();
    auto* group = app.add_subcommand("links", "Share reports through links that expire");
    group->require_subcommand(1);
    group->fallthrough();
    group->add_subcommand("list", "List the team's valid report links")->callback([&context] {
        list_links(context);
    });
    auto* create = group->add_subcommand("create", "Share a job's report and print the link once");
    create->add_option("job", options->job, "ID of the job")->required();
    create->add_option("--days", options->days, "Days until the link expires")
        ->check(CLI::Range(1, 365))
        ->capture_default_str();
    create->add_option("--note", options->note, "What the link is for; shown to its readers");
    create->callback([&context, options] { create_link(context, *options); });
    auto* revoke = group->add_subcommand("revoke", "Revoke a link");
    revoke->add_option("link", options->link, "ID of the link")->required();
    revoke->callback(
        [&context, options] { remove_item(context, "/v1/report-links", options->link); });
}

}  // namespace plimsoll::cli
