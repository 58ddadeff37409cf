#include "server/cli/machine/administration.hpp"

#include "engine/base/closest.hpp"
#include "engine/base/json.hpp"
#include "server/app/database.hpp"
#include "server/app/serve.hpp"
#include "server/base/time.hpp"
#include "server/cli/commands.hpp"
#include "server/cli/machine/settings_flags.hpp"
#include "server/client/credentials.hpp"
#include "server/identity/identity.hpp"
#include "server/identity/secret.hpp"
#include "server/postgres/identity/identity_store.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/stores.hpp"
#include "server/postgres/workers/database_clock.hpp"
#include "server/terminal/command_context.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace plimsoll::cli {

namespace {

using terminal::need;
using terminal::Refused;

constexpr auto kLinkLifetime = std::chrono::minutes(30);

json admin_json(const identity::User& user) {
    return {{"id", to_public(user.id)},
            {"name", user.name},
            {"email", user.email},
            {"is_admin", user.administrator},
            {"disabled", user.disabled}};
}

json admin_json(const identity::Team& team) {
    return {{"id", to_public(team.id)}, {"name", team.name}, {"archived", team.archived}};
}

json admin_json(const identity::ProvidedIdentity& one) {
    return {{"id", to_public(one.id)},
            {"issuer", one.issuer},
            {"subject", one.subject},
            {"created_at", to_rfc3339(one.created_at)},
            {"last_used_at", to_rfc3339(one.last_used_at)}};
}

std::string admin_line(const identity::User& user) {
    return to_public(user.id) + "  " + user.name + (user.administrator ? "  system admin" : "") +
           (user.disabled ? "  disabled" : "");
}

std::string admin_line(const identity::Team& team) {
    return to_public(team.id) + "  " + team.name + (team.archived ? "  archived" : "");
}

std::string admin_line(const identity::ProvidedIdentity& one) {
    return to_public(one.id) + "  " + one.issuer + "  " + one.subject + "  last used " +
           to_rfc3339(one.last_used_at);
}

template <class Thing>
Answer listed(const char* name, const std::vector<Thing>& things) {
    Answer answer{{{name, json::array()}}, {}};
    for (const auto& thing : things) {
        answer.value[name].push_back(admin_json(thing));
        answer.text += (answer.text.empty() ? "" : "\n") + admin_line(thing);
    }
    return answer;
}

// The item with this name or ID.
template <class Thing>
Thing find_named(const std::vector<Thing>& things, const std::string& what,
                 const std::string& text) {
    std::vector<std::string> names;
    for (const auto& thing : things) {
        if (thing.name == text || to_public(thing.id) == text) return thing;
        names.push_back(thing.name);
    }
    throw Refused(Errc::not_found,
                  "There is no " + what + " \"" + text + "\"." + did_you_mean(text, names),
                  "--" + what);
}

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

awaitable<Answer> Administration::run(Act act, const AdminRequest& request) {
    auto users = need(co_await store_.users());
    for (auto& account : users) users_.push_back(std::move(account.user));
    const auto administrator = std::find_if(
        users_.begin(), users_.end(), [](const auto& u) { return u.administrator && !u.disabled; });
    if (administrator == users_.end()) {
        throw Refused(Errc::not_found,
                      "There is no system admin yet: start `plimsoll serve` once.");
    }
    teams_ = need(co_await store_.teams(administrator->id));
    author_ = {teams_.empty() ? TeamId{} : teams_.front().id, administrator->id, "command line"};
    co_return co_await (this->*act)(request);
}

awaitable<Answer> Administration::list_users(const AdminRequest& /*request*/) {
    co_return listed("users", users_);
}

awaitable<Answer> Administration::list_teams(const AdminRequest& /*request*/) {
    co_return listed("teams", teams_);
}

UserId Administration::user(const std::string& name) const {
    return find_named(users_, "user", name).id;
}

TeamId Administration::team(const std::string& name) const {
    return find_named(teams_, "team", name).id;
}

awaitable<Answer> Administration::add_user(const AdminRequest& request) {
    auto user = need(
        co_await store_.create_user(author_, request.user, request.email, request.administrator));
    co_return Answer{admin_json(user), to_public(user.id)};
}

awaitable<Answer> Administration::set_user(const AdminRequest& request) {
    const auto who = user(request.user);
    auto done = need(co_await store_.update_user(author_, who, request.change));
    co_return Answer{admin_json(done), admin_line(done)};
}

awaitable<Answer> Administration::remove_user(const AdminRequest& request) {
    const auto who = user(request.user);
    need(co_await store_.remove_user(author_, who));
    co_return Answer{{{"id", to_public(who)}}, request.user + " was removed"};
}

awaitable<Answer> Administration::remove_second_factor(const AdminRequest& request) {
    const auto who = user(request.user);
    need(co_await passwords_.remove_second_factor(author_, who));
    co_return Answer{{{"id", to_public(who)}},
                     "The password of " + request.user + " works without a code"};
}

awaitable<Answer> Administration::list_identities(const AdminRequest& request) {
    const auto who = user(request.user);
    const auto found = need(co_await providers_.identities(who));
    co_return listed("identities", found);
}

awaitable<Answer> Administration::unlink(const AdminRequest& request) {
    const auto who = user(request.user);
    const auto id = parse_public_id("idn", request.identity);
    if (!id) {
        throw Refused(Errc::not_found,
                      "There is no identity \"" + request.identity +
                          "\": `plimsoll admin identities` lists the user's identities.");
    }
    need(co_await providers_.unlink(author_, who, identity::IdentityId{*id}));
    co_return Answer{{{"id", request.identity}},
                     request.user + " can no longer sign in with " + request.identity};
}

awaitable<Answer> Administration::set_team(const AdminRequest& request) {
    const auto which = team(request.team);
    const auto done = need(co_await store_.update_team(author_, which, request.team_change));
    co_return Answer{admin_json(done), admin_line(done)};
}

awaitable<Answer> Administration::add_team(const AdminRequest& request) {
    auto team = need(co_await store_.create_team(author_, request.team));
    co_return Answer{admin_json(team), to_public(team.id)};
}

awaitable<Answer> Administration::set_member(const AdminRequest& request) {
    const auto who = user(request.user);
    const auto where = team(request.team);
    const auto role = identity::parse_role(request.role);
    if (!role)
        throw Refused(Errc::invalid_input, "The role must be viewer, member, admin or owner.",
                      "--role");
    need(co_await store_.set_member(author_, where, who, *role));
    co_return Answer{
        {{"user_id", to_public(who)}, {"team_id", to_public(where)}, {"role", request.role}},
        request.user + " is " + request.role + " of " + request.team};
}

awaitable<Answer> Administration::add_token(const AdminRequest& request) {
    const auto whose = co_await chosen(request);
    const auto secret = identity::make_secret(identity::SecretKind::token);
    identity::Token token;
    token.user = whose.user;
    token.name = request.token_name;
    token.hint = secret.text.substr(0, 12);
    token.scopes = {request.scopes.begin(), request.scopes.end()};
    need(co_await store_.create_token(whose, std::move(token), secret.hash, {}));
    co_return Answer{{{"secret", secret.text}}, secret.text};
}

awaitable<Answer> Administration::sign_in_link(const AdminRequest& request) {
    const auto whose = co_await chosen(request);
    // The link's validity follows the database's clock; this machine's may be a day off.
    need(co_await clock_.read());
    const auto secret = identity::make_secret(identity::SecretKind::sign_in);
    need(co_await store_.create_sign_in_link(author_, whose.user, whose.team, secret.hash,
                                             clock_.now() + kLinkLifetime));
    const auto link = request.base_url + "/#/sign-in/" + secret.text;
    co_return Answer{{{"link", link}}, link};
}

awaitable<Answer> Administration::password_link(const AdminRequest& request) {
    const auto who = user(request.user);
    need(co_await clock_.read());
    const auto secret = identity::make_secret(identity::SecretKind::password_link);
    need(co_await passwords_.create_link(author_, who, secret.hash, clock_.now() + kLinkLifetime));
    const auto link = request.base_url + "/#/set-password/" + secret.text;
    co_return Answer{{{"link", link}}, link};
}

awaitable<Author> Administration::chosen(const AdminRequest& request) {
    const auto who = request.user.empty() ? author_.user : user(request.user);
    const auto where = request.team.empty() ? co_await first_team(who) : team(request.team);
    co_return Author{where, who, author_.request_id};
}

awaitable<TeamId> Administration::first_team(UserId who) {
    for (const auto& team : teams_) {
        const auto members = need(co_await store_.members(team.id));
        for (const auto& member : members)
            if (member.user.id == who) co_return team.id;
    }
    throw Refused(Errc::conflict, "The user is in no team: run `plimsoll admin set-member` first.");
}

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
