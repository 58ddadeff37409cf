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

const client::Named kTokens{"/v1/tokens", "tok_", "token"};

struct TokenOptions {
    std::string name;
    std::vector<std::string> scopes = {"jobs:read", "jobs:write", "reports:read"};
    std::string expires_at;
};

std::vector<std::string> token_row(const json& token) {
    std::string scopes;
    for (const json& scope : token.at("scopes"))
        scopes += (scopes.empty() ? "" : " ") + scope.get<std::string>();
    return {text_of(token, "id"), text_of(token, "name"), scopes, text_of(token, "expires_at"),
            text_of(token, "last_used_at")};
}

void list_tokens(const CommandContext& context) {
    return show_list(context, client::whole_list(kTokens.target),
                     {{"TOKEN", "NAME", "SCOPES", "EXPIRES", "LAST USED"}}, token_row,
                     "No tokens yet: plimsoll tokens add NAME");
}

void add_token(const CommandContext& context, const TokenOptions& options) {
    auto api = need(client::signed_in());
    json token = {{"name", options.name}, {"scopes", options.scopes}};
    if (!options.expires_at.empty()) token["expires_at"] = options.expires_at;
    const auto made = need(api.post_json(kTokens.target, token));
    context.terminal.line(context.json ? made.dump(2) : text_of(made, "secret"));
    if (!context.json) context.terminal.note("Store this token now; it will not be shown again.");
}

void revoke_token(const CommandContext& context, const std::string& name) {
    auto api = need(client::signed_in());
    const auto id = need(client::id_of(api, kTokens, name));
    remove_item(context, kTokens.target, id);
}

}  // namespace

void add_tokens(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<TokenOptions>();
    auto* command = app.add_subcommand("tokens", "Create and revoke API tokens for your programs");
    command->require_subcommand(1);
    command->add_subcommand("list", "List the tokens that you may see")->callback([&context] {
        list_tokens(context);
    });
    auto* add = command->add_subcommand("add", "Create a token and print it once");
    add->add_option("name", options->name, "Purpose of the token")->required();
    add->add_option("--scope", options->scopes,
                    "Scope of the token, one of yours; repeatable (default: jobs:read, "
                    "jobs:write and reports:read)");
    add->add_option("--expires", options->expires_at, "Expiry, RFC 3339 (default: never)");
    add->callback([&context, options] { add_token(context, *options); });
    auto* revoke = command->add_subcommand("revoke", "Revoke a token");
    revoke->add_option("token", options->name, "The token, by name or ID")->required();
    revoke->callback([&context, options] { revoke_token(context, options->name); });
}

}  // namespace plimsoll::cli
