#include "server/app/address.hpp"
#include "server/app/database.hpp"
#include "server/cli/commands.hpp"
#include "server/cli/machine/administration.hpp"
#include "server/cli/machine/settings_flags.hpp"
#include "server/client/credentials.hpp"
#include "server/identity/identity.hpp"
#include "server/postgres/identity/identity_store.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/stores.hpp"
#include "server/postgres/workers/database_clock.hpp"
#include "server/terminal/command_context.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using boost::asio::awaitable;

// Where browsers reach the server. The name by which this command line signed in remotely, perhaps
// a proxy's, takes precedence over the address of the process that serves the database, and that
// over the settings, which a flag of `plimsoll serve` may have overridden. Empty if the settings
// let the system choose the port.
std::string known_server(const app::Settings& settings, const app::Database& database) {
    const auto credentials = client::load_credentials();
    if (credentials && !client::is_this_machine(credentials->server)) return credentials->server;
    if (auto address = database.address()) return *address;
    if (credentials) return credentials->server;
    return settings.http.port == 0 ? "" : app::address_of(settings.http, settings.http.port);
}

// Works on the database, so that the first system admin, or one who is locked out, can get in.
void run_admin(const CommandContext& context, const app::Settings& settings,
               Administration::Act act, AdminRequest request) {
    try {
        const auto database = need(app::Database::attach(settings));
        if (request.base_url.empty()) request.base_url = known_server(settings, *database);
        while (request.base_url.ends_with('/')) request.base_url.pop_back();
        boost::asio::io_context io(1);
        postgres::Pool pool(io.get_executor(), database->app(), {.connections = 1});
        postgres::IdentityStore store(io.get_executor(), pool);
        const auto passwords = postgres::make_password_store(pool, store.known());
        postgres::DatabaseClock clock(pool);
        const auto providers = postgres::make_provider_store(pool, store.known());
        Administration administration(store, *passwords, *providers, clock);
        pool.start();
        Answer answer;
        boost::asio::co_spawn(
            io, [&]() -> awaitable<void> { answer = co_await administration.run(act, request); },
            [&](const std::exception_ptr& error) {
                pool.stop();
                if (error) std::rethrow_exception(error);
            });
        io.run();
        context.terminal.line(context.json ? answer.value.dump(2) : answer.text);
    } catch (Refused& refused) {
        if (refused.error.code == Errc::unavailable) {
            refused.error.message +=
                " Name the server's database with --data FOLDER, --database.url URL or --config "
                "FILE; a private database runs only while its server does.";
        }
        throw;
    }
}

}  // namespace

void add_admin(CLI::App& app, CommandContext& context) {
    auto* command =
        app.add_subcommand("admin", "Manage users, teams and tokens directly in the database");
    command->require_subcommand(1);
    const auto flags = std::make_shared<SettingsFlags>(jobs::kAdmin);
    flags->add_to(*command);
    const auto request = std::make_shared<AdminRequest>();
    const auto add = [&](const char* name, const char* help, Administration::Act act) {
        auto* sub = command->add_subcommand(name, help)->fallthrough();
        sub->callback(
            [&context, flags, request, act] { run_admin(context, flags->load(), act, *request); });
        return sub;
    };
    auto* link =
        add("sign-in-link", "Print a one-time sign-in link", &Administration::sign_in_link);
    const auto name_whose = [&](CLI::App* sub) {
        sub->add_option("--user", request->user,
                        "Name of the user (default: the first system admin)");
        sub->add_option("--team", request->team, "Name of the team (default: the user's first)");
    };
    name_whose(link);
    auto* password_link = add("password-link", "Print a one-time link for setting a password",
                              &Administration::password_link);
    password_link->add_option("--user", request->user, "Name of the user")->required();
    for (auto* printing : {link, password_link}) {
        printing->add_option("--base-url", request->base_url,
                             "URL of the server as browsers reach it (default: the server you are "
                             "signed in to, or the one that runs on this data folder)");
    }
    add("users", "List the users", &Administration::list_users);
    auto* user = add("add-user", "Add a user", &Administration::add_user);
    user->add_option("name", request->user, "Name of the user")->required();
    user->add_option("--email", request->email, "Email address");
    user->add_flag("--administrator", request->administrator,
                   "Make a system admin, who manages users, teams and devices");
    auto* change = add("set-user", "Rename, disable or promote a user", &Administration::set_user);
    change->add_option("name", request->user, "Name of the user")->required();
    auto* changes = change->add_option_group("Changes");
    changes->require_option(1, 0);
    changes->add_option("--name", request->change.name, "New name");
    changes->add_option("--email", request->change.email, "Email address; empty: none");
    changes->add_option(
        "--administrator", request->change.administrator,
        "Whether the user is a system admin, who manages users, teams and devices: true or false");
    changes->add_option("--disabled", request->change.disabled,
                        "Whether sign-in, tokens and sessions are blocked: true or false");
    add("remove-user",
        "Remove a user; the user's jobs, schedules, datasets and webhooks stay with their teams",
        &Administration::remove_user)
        ->add_option("name", request->user, "Name of the user")
        ->required();
    add("remove-second-factor", "Remove the second factor of a user who lost it",
        &Administration::remove_second_factor)
        ->add_option("name", request->user, "Name of the user")
        ->required();
    add("identities", "List a user's identities at the identity provider",
        &Administration::list_identities)
        ->add_option("name", request->user, "Name of the user")
        ->required();
    auto* unlink = add("unlink", "Remove an identity: the user cannot sign in with it any more",
                       &Administration::unlink);
    unlink->add_option("name", request->user, "Name of the user")->required();
    unlink->add_option("identity", request->identity, "ID of the identity")->required();
    add("teams", "List the teams", &Administration::list_teams);
    add("add-team", "Add a team", &Administration::add_team)
        ->add_option("name", request->team, "Name of the team")
        ->required();
    auto* changed_team = add("set-team", "Rename or archive a team", &Administration::set_team);
    changed_team->add_option("name", request->team, "Name of the team")->required();
    auto* team_changes = changed_team->add_option_group("Changes");
    team_changes->require_option(1, 0);
    team_changes->add_option("--name", request->team_change.name, "New name");
    team_changes->add_option(
        "--archived", request->team_change.archived,
        "true: nobody can act in it, and its schedules do not run; false: restore it");
    auto* member = add("set-member", "Add a user to a team, or change the user's role",
                       &Administration::set_member);
    member->add_option("--team", request->team, "Name of the team")->required();
    member->add_option("--user", request->user, "Name of the user")->required();
    member->add_option("--role", request->role, "Role: viewer, member, admin or owner")
        ->check(CLI::IsMember({"viewer", "member", "admin", "owner"}))
        ->capture_default_str();
    auto* token = add("add-token", "Create an API token and print its secret once",
                      &Administration::add_token);
    token->add_option("name", request->token_name, "Purpose of the token")->required();
    name_whose(token);
    token->add_option("--scope", request->scopes, "Scope of the token; repeatable")
        ->required()
        ->check(CLI::IsMember(
            std::vector<std::string>(identity::kScopes.begin(), identity::kScopes.end())));
}

}  // namespace plimsoll::cli
