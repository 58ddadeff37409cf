#include "server/cli/commands.hpp"
#include "server/client/by_name.hpp"
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

const client::Named kAccounts{"/v1/service-accounts", "user_", "service account"};

struct AccountOptions {
    std::string name;
    std::string role = "member";
    std::string token_name;
    std::vector<std::string> scopes;
    std::string expires_at;
};

std::vector<std::string> account_row(const json& account) {
    return {text_of(account, "id"), text_of(account, "name"), text_of(account, "role"),
            account.value("disabled", false) ? "disabled" : ""};
}

void list_accounts(const CommandContext& context) {
    return show_list(context, client::whole_list(kAccounts.target),
                     {{"ACCOUNT", "NAME", "ROLE", ""}}, account_row,
                     "No service accounts yet: plimsoll service-accounts add …");
}

void add_account(const CommandContext& context, const AccountOptions& options) {
    auto api = need(client::signed_in());
    const auto made =
        need(api.post_json(kAccounts.target, {{"name", options.name}, {"role", options.role}}));
    context.terminal.line(context.json ? made.dump(2) : text_of(made, "id"));
}

void add_account_token(const CommandContext& context, const AccountOptions& options) {
    auto api = need(client::signed_in());
    const auto id = need(client::id_of(api, kAccounts, options.name));
    json token = {
        {"name", options.token_name}, {"scopes", options.scopes}, {"service_account_id", id}};
    if (!options.expires_at.empty()) token["expires_at"] = options.expires_at;
    const auto made = need(api.post_json("/v1/tokens", token));
    context.terminal.line(context.json ? made.dump(2) : text_of(made, "secret"));
    if (!context.json) {
        context.terminal.note("Store this token now; it will not be shown again.");
    }
}

void remove_account(const CommandContext& context, const std::string& name) {
    auto api = need(client::signed_in());
    const auto id = need(client::id_of(api, kAccounts, name));
    remove_item(context, kAccounts.target, id);
}

}  // namespace

void add_service_accounts(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<AccountOptions>();
    auto* command = app.add_subcommand(
        "service-accounts", "Manage accounts for programs, which use tokens and never sign in");
    command->require_subcommand(1);
    command->add_subcommand("list", "List the team's service accounts")->callback([&context] {
        list_accounts(context);
    });
    auto* add = command->add_subcommand("add", "Add a service account and print its ID");
    add->add_option("name", options->name, "Purpose of the service account")->required();
    add->add_option("--role", options->role, "Role: viewer or member")
        ->check(CLI::IsMember({"viewer", "member"}))
        ->capture_default_str();
    add->callback([&context, options] { add_account(context, *options); });
    auto* token = command->add_subcommand("add-token",
                                          "Create a token for a service account and print it once");
    token->add_option("account", options->name, "Name or ID of the account")->required();
    token->add_option("name", options->token_name, "Purpose of the token")->required();
    token
        ->add_option("--scope", options->scopes,
                     "Scope of the token, such as jobs:write; repeatable")
        ->required();
    token->add_option("--expires", options->expires_at, "Expiry, RFC 3339 (default: never)");
    token->callback([&context, options] { add_account_token(context, *options); });
    auto* remove =
        command->add_subcommand("remove", "Remove a service account and revoke its tokens");
    remove->add_option("account", options->name, "Name or ID of the account")->required();
    remove->callback([&context, options] { remove_account(context, options->name); });
}

}  // namespace plimsoll::cli
