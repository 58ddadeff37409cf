#include "server/cli/resource.hpp"
#include "server/terminal/flag_values.hpp"

#include <cstdio>

namespace plimsoll::cli {
namespace {

struct AuditOptions {
    std::string action;
    std::string user;
    std::string target;
    std::string from;
    std::string to;
    bool all_teams = false;
    bool csv = false;
    int limit = 50;
};

std::string audit_target(const AuditOptions& options) {
    return client::with_query(options.csv ? "/v1/audit-events.csv" : "/v1/audit-events",
                              {{"action", options.action},
                               {"user_id", options.user},
                               {"target", options.target},
                               {"from", options.from},
                               {"to", options.to},
                               {"all_teams", options.all_teams ? "true" : ""},
                               {"limit", options.csv ? "" : std::to_string(options.limit)}});
}

std::vector<std::string> audit_row(const json& event) {
    const auto user = text_of(event, "user");
    std::string details;
    for (const auto& [name, value] : event.at("data").items()) {
        if (!details.empty()) details += ", ";
        details += name + " " + (value.is_string() ? value.get<std::string>() : value.dump());
    }
    return {text_of(event, "at"), user.empty() ? text_of(event, "user_id") : user,
            text_of(event, "action"), text_of(event, "target"), details};
}

void show_audit(const CommandContext& context, AuditOptions options) {
    need(terminal::read_moments({{"--from", &options.from}, {"--to", &options.to}}));
    auto api = need(client::signed_in());
    if (!options.csv) {
        return show_list(context, api.get_json(audit_target(options)),
                         {{"TIME", "USER", "ACTION", "TARGET", "DETAILS"}}, audit_row,
                         "No event matches.");
    }
    const auto reply = need(api.send("GET", audit_target(options)));
    std::fwrite(reply.body.data(), 1, reply.body.size(), stdout);
}

}  // namespace

void add_audit(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<AuditOptions>();
    auto* command = app.add_subcommand("audit", "Show who changed what in the team");
    command->add_option("--action", options->action,
                        "Only this action, such as token.create, or all actions on a kind of "
                        "object, such as token");
    command->add_option("--user", options->user, "Only actions of this user, by ID");
    command->add_option("--target", options->target, "Only actions on this object, by ID");
    command->add_option("--from", options->from,
                        "Start of the period: a time, or an age (90m, 24h, 7d)");
    command->add_option("--to", options->to, "End of the period: a time, or an age (default: now)");
    command->add_flag("--all-teams", options->all_teams,
                      "Also other teams' events and the installation's");
    auto* limit =
        command->add_option("--limit", options->limit, "Maximum number of events, newest first")
            ->check(CLI::Range(1, 200))
            ->capture_default_str();
    command->add_flag("--csv", options->csv, "Print all events as CSV")->excludes(limit);
    command->callback([&context, options] { show_audit(context, *options); });
}

}  // namespace plimsoll::cli
