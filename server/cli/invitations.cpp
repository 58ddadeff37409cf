#include "server/base/time.hpp"
#include "server/cli/commands.hpp"
#include "server/client/session.hpp"
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

struct InvitationOptions {
    std::string invitation;
    std::string role = "member";
    std::string email;
    int days = 7;
};

std::vector<std::string> invitation_row(const json& invitation) {
    return {text_of(invitation, "id"), text_of(invitation, "role"), text_of(invitation, "email"),
            text_of(invitation.at("created_by"), "name"), text_of(invitation, "expires_at")};
}

void list_invitations(const CommandContext& context) {
    return show_list(context, client::whole_list("/v1/invitations"),
                     {{"INVITATION", "ROLE", "ADDRESS", "BY", "EXPIRES"}}, invitation_row,
                     "No open invitations: plimsoll invitations add …");
}

void add_invitation(const CommandContext& context, const InvitationOptions& options) {
    auto api = need(client::signed_in());
    const auto end = SystemClock().now() + std::chrono::days(options.days);
    json body = {{"role", options.role}, {"expires_at", to_rfc3339(end)}};
    if (!options.email.empty()) body["email"] = options.email;
    const auto made = need(api.post_json("/v1/invitations", body));
    if (context.json) return context.terminal.line(made.dump(2));
    context.terminal.line(api.server() + text_of(made, "path"));
    context.terminal.note(
        (options.email.empty() ? std::string("Anyone with this link")
                               : "The user with the address " + options.email) +
        " can use it once to join the team, until " + text_of(made.at("invitation"), "expires_at") +
        ". Store it now; it will not be shown again. To revoke it: plimsoll invitations revoke " +
        text_of(made.at("invitation"), "id"));
}

}  // namespace

void add_invitations(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<InvitationOptions>();
    auto* group =
        app.add_subcommand("invitations", "Invite people to the team with one-time links");
    group->require_subcommand(1);
    group->fallthrough();
    group->add_subcommand("list", "List the team's open invitations")->callback([&context] {
        list_invitations(context);
    });
    auto* add = group->add_subcommand("add", "Create an invitation and print its link once");
    add->add_option("--role", options->role, "Role: viewer, member, admin or owner")
        ->check(CLI::IsMember({"viewer", "member", "admin", "owner"}))
        ->capture_default_str();
    add->add_option("--email", options->email,
                    "Email address of the only user who may accept the invitation");
    add->add_option("--days", options->days, "Days until the invitation expires")
        ->check(CLI::Range(1, 30))
        ->capture_default_str();
    add->callback([&context, options] { add_invitation(context, *options); });
    auto* revoke = group->add_subcommand("revoke", "Revoke an invitation");
    revoke->add_option("invitation", options->invitation, "ID of the invitation")->required();
    revoke->callback(
        [&context, options] { remove_item(context, "/v1/invitations", options->invitation); });
}

}  // namespace plimsoll::cli
