#include "server/base/time.hpp"
#include "server/cli/resource.hpp"

namespace plimsoll::cli {
namespace {

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

void add_token(const CommandContext& context, const TokenOptions& options) {
    auto api = need(client::signed_in());
    json token = {{"name", options.name}, {"scopes", options.scopes}};
    if (!options.expires_at.empty()) token["expires_at"] = options.expires_at;
    const auto made = need(api.post_json(kTokens.target, token));
    print_answer(context, made, text_of(made, "secret"));
    if (!context.json) context.terminal.note("Store this token now; it will not be shown again.");
}

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

void add_account(const CommandContext& context, const AccountOptions& options) {
    auto api = need(client::signed_in());
    const auto made =
        need(api.post_json(kAccounts.target, {{"name", options.name}, {"role", options.role}}));
    print_answer(context, made, text_of(made, "id"));
}

void add_account_token(const CommandContext& context, const AccountOptions& options) {
    auto api = need(client::signed_in());
    const auto id = need(client::id_of(api, kAccounts, options.name));
    json token = {
        {"name", options.token_name}, {"scopes", options.scopes}, {"service_account_id", id}};
    if (!options.expires_at.empty()) token["expires_at"] = options.expires_at;
    const auto made = need(api.post_json("/v1/tokens", token));
    print_answer(context, made, text_of(made, "secret"));
    if (!context.json) context.terminal.note("Store this token now; it will not be shown again.");
}

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

void add_tokens(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<TokenOptions>();
    auto* command = add_resource(app, "tokens", "Create and revoke API tokens for your programs");
    add_list(command, context,
             {"List the tokens that you may see",
              "/v1/tokens",
              {"TOKEN", "NAME", "SCOPES", "EXPIRES", "LAST USED"},
              token_row,
              "No tokens yet: plimsoll tokens add NAME"});
    auto* add = command->add_subcommand("add", "Create a token and print it once");
    add->add_option("name", options->name, "Purpose of the token")->required();
    add->add_option("--scope", options->scopes,
                    "Scope of the token, one of yours; repeatable (default: jobs:read, "
                    "jobs:write and reports:read)");
    add->add_option("--expires", options->expires_at, "Expiry, RFC 3339 (default: never)");
    add->callback([&context, options] { add_token(context, *options); });
    auto* revoke = command->add_subcommand("revoke", "Revoke a token");
    revoke->add_option("token", options->name, "The token, by name or ID")->required();
    revoke->callback([&context, options] { remove_named(context, kTokens, options->name); });
}

void add_service_accounts(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<AccountOptions>();
    auto* command =
        add_resource(app, "service-accounts",
                     "Manage accounts for programs, which use tokens and never sign in");
    add_list(command, context,
             {"List the team's service accounts",
              "/v1/service-accounts",
              {"ACCOUNT", "NAME", "ROLE", ""},
              account_row,
              "No service accounts yet: plimsoll service-accounts add …"});
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
    remove->callback([&context, options] { remove_named(context, kAccounts, options->name); });
}

void add_invitations(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<InvitationOptions>();
    auto* group = add_resource(app, "invitations", "Invite people to the team with one-time links");
    add_list(group, context,
             {"List the team's open invitations",
              "/v1/invitations",
              {"INVITATION", "ROLE", "ADDRESS", "BY", "EXPIRES"},
              invitation_row,
              "No open invitations: plimsoll invitations add …"});
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
