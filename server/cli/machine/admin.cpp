#include "server/app/address.hpp"
#include "server/app/database.hpp"
#include "server/cli/commands.hpp"
#include "server/cli/machine/admin_answer.hpp"
#include "server/cli/machine/settings_flags.hpp"
#include "server/client/credentials.hpp"
#include "server/identity/identity.hpp"
#include "server/identity/secret.hpp"
#include "server/postgres/identity/identity_store.hpp"
#include "server/postgres/identity/password_store.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/workers/database_clock.hpp"
#include "server/terminal/command_context.hpp"

#include <algorithm>
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
using nlohmann::json;

struct AdminRequest {
    enum class What {
        sign_in_link,
        password_link,
        list_users,
        add_user,
        set_user,
        remove_user,
        remove_second_factor,
        list_teams,
        add_team,
        set_team,
        set_member,
        add_token
    };
    What what = What::list_users;
    std::string user;
    std::string team;
    std::string email;
    std::string role = "member";
    std::string base_url;  // empty: known_server()
    std::string token_name;
    std::vector<std::string> scopes;
    bool administrator = false;
    identity::UserChange change;
    identity::TeamChange team_change;
};
using What = AdminRequest::What;

constexpr auto kLinkLifetime = std::chrono::minutes(30);

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

// The requests by name instead of by ID, on the installation's behalf: the operator of the machine
// has no user, so audit rows name the first system admin.
class Administration {
  public:
    Administration(identity::IdentityStore& store, identity::PasswordStore& passwords,
                   postgres::DatabaseClock& clock)
        : store_(store), passwords_(passwords), clock_(clock) {}

    awaitable<Result<Answer>> run(const AdminRequest& request) {
        auto users = co_await store_.users();
        if (!users) co_return fail(users.error());
        for (auto& account : *users) users_.push_back(std::move(account.user));
        const auto administrator = std::find_if(users_.begin(), users_.end(), [](const auto& u) {
            return u.administrator && !u.disabled;
        });
        if (administrator == users_.end()) {
            co_return fail(Errc::not_found,
                           "There is no system admin yet: start `plimsoll serve` once.");
        }
        auto teams = co_await store_.teams(administrator->id);
        if (!teams) co_return fail(teams.error());
        teams_ = std::move(*teams);
        author_ = {teams_.empty() ? TeamId{} : teams_.front().id, administrator->id,
                   "command line"};
        switch (request.what) {
            case What::list_users:
                co_return listed("users", users_);
            case What::remove_user:
                co_return co_await remove_user(request);
            case What::remove_second_factor:
                co_return co_await remove_second_factor(request);
            case What::set_team:
                co_return co_await set_team(request);
            case What::list_teams:
                co_return listed("teams", teams_);
            case What::add_user:
                co_return co_await add_user(request);
            case What::set_user:
                co_return co_await set_user(request);
            case What::add_team:
                co_return co_await add_team(request);
            case What::set_member:
                co_return co_await set_member(request);
            case What::add_token:
                co_return co_await add_token(request);
            case What::sign_in_link:
                co_return co_await sign_in_link(request);
            case What::password_link:
                co_return co_await password_link(request);
        }
        co_return fail(Errc::internal, "This operation does not exist.");
    }

  private:
    Result<UserId> user(const std::string& text) const {
        const auto found = find_named(users_, "user", text);
        if (!found) return fail(found.error());
        return found->id;
    }

    Result<TeamId> team(const std::string& text) const {
        const auto found = find_named(teams_, "team", text);
        if (!found) return fail(found.error());
        return found->id;
    }

    awaitable<Result<Answer>> add_user(const AdminRequest& request) {
        auto user = co_await store_.create_user(author_, request.user, request.email,
                                                request.administrator);
        if (!user) co_return fail(user.error());
        co_return Answer{admin_json(*user), to_public(user->id)};
    }

    awaitable<Result<Answer>> set_user(const AdminRequest& request) {
        const auto who = user(request.user);
        if (!who) co_return fail(who.error());
        auto done = co_await store_.update_user(author_, *who, request.change);
        if (!done) co_return fail(done.error());
        co_return Answer{admin_json(*done), admin_line(*done)};
    }

    awaitable<Result<Answer>> remove_user(const AdminRequest& request) {
        const auto who = user(request.user);
        if (!who) co_return fail(who.error());
        const auto done = co_await store_.remove_user(author_, *who);
        if (!done) co_return fail(done.error());
        co_return Answer{{{"id", to_public(*who)}}, request.user + " was removed"};
    }

    awaitable<Result<Answer>> remove_second_factor(const AdminRequest& request) {
        const auto who = user(request.user);
        if (!who) co_return fail(who.error());
        const auto done = co_await passwords_.remove_second_factor(author_, *who);
        if (!done) co_return fail(done.error());
        co_return Answer{{{"id", to_public(*who)}},
                         "The password of " + request.user + " works without a code"};
    }

    awaitable<Result<Answer>> set_team(const AdminRequest& request) {
        const auto which = team(request.team);
        if (!which) co_return fail(which.error());
        const auto done = co_await store_.update_team(author_, *which, request.team_change);
        if (!done) co_return fail(done.error());
        co_return Answer{admin_json(*done), admin_line(*done)};
    }

    awaitable<Result<Answer>> add_team(const AdminRequest& request) {
        auto team = co_await store_.create_team(author_, request.team);
        if (!team) co_return fail(team.error());
        co_return Answer{admin_json(*team), to_public(team->id)};
    }

    awaitable<Result<Answer>> set_member(const AdminRequest& request) {
        const auto who = user(request.user);
        if (!who) co_return fail(who.error());
        const auto where = team(request.team);
        if (!where) co_return fail(where.error());
        const auto role = identity::parse_role(request.role);
        if (!role)
            co_return fail(Errc::invalid_input, "A role is viewer, member, admin or owner.",
                           "--role");
        auto done = co_await store_.set_member(author_, *where, *who, *role);
        if (!done) co_return fail(done.error());
        co_return Answer{
            {{"user_id", to_public(*who)}, {"team_id", to_public(*where)}, {"role", request.role}},
            request.user + " is " + request.role + " of " + request.team};
    }

    awaitable<Result<Answer>> add_token(const AdminRequest& request) {
        const auto whose = co_await chosen(request);
        if (!whose) co_return fail(whose.error());
        const auto secret = identity::make_secret(identity::SecretKind::token);
        identity::Token token;
        token.user = whose->user;
        token.name = request.token_name;
        token.hint = secret.text.substr(0, 12);
        token.scopes = {request.scopes.begin(), request.scopes.end()};
        auto made = co_await store_.create_token(*whose, std::move(token), secret.hash, {});
        if (!made) co_return fail(made.error());
        co_return Answer{{{"secret", secret.text}}, secret.text};
    }

    awaitable<Result<Answer>> sign_in_link(const AdminRequest& request) {
        const auto whose = co_await chosen(request);
        if (!whose) co_return fail(whose.error());
        // The link's validity follows the database's clock; this machine's may be a day off.
        if (auto read = co_await clock_.read(); !read) co_return fail(read.error());
        const auto secret = identity::make_secret(identity::SecretKind::sign_in);
        auto made = co_await store_.create_sign_in_link(author_, whose->user, whose->team,
                                                        secret.hash, clock_.now() + kLinkLifetime);
        if (!made) co_return fail(made.error());
        const auto link = request.base_url + "/#/sign-in/" + secret.text;
        co_return Answer{{{"link", link}}, link};
    }

    awaitable<Result<Answer>> password_link(const AdminRequest& request) {
        const auto who = user(request.user);
        if (!who) co_return fail(who.error());
        if (auto read = co_await clock_.read(); !read) co_return fail(read.error());
        const auto secret = identity::make_secret(identity::SecretKind::password_link);
        const auto made = co_await passwords_.create_link(author_, *who, secret.hash,
                                                          clock_.now() + kLinkLifetime);
        if (!made) co_return fail(made.error());
        const auto link = request.base_url + "/#/set-password/" + secret.text;
        co_return Answer{{{"link", link}}, link};
    }

    // The user and the team that are named, or the defaults.
    awaitable<Result<Author>> chosen(const AdminRequest& request) {
        const auto who = request.user.empty() ? author_.user : user(request.user);
        if (!who) co_return fail(who.error());
        const auto where = request.team.empty() ? co_await first_team(*who) : team(request.team);
        if (!where) co_return fail(where.error());
        co_return Author{*where, *who, author_.request_id};
    }

    // Teams that the user is a member of: a system admin sees more than those.
    awaitable<Result<TeamId>> first_team(UserId who) {
        for (const auto& team : teams_) {
            const auto members = co_await store_.members(team.id);
            if (!members) co_return fail(members.error());
            for (const auto& member : *members) {
                if (member.user.id == who) co_return team.id;
            }
        }
        co_return fail(Errc::conflict,
                       "The user is in no team: `plimsoll admin set-member` first.");
    }

    identity::IdentityStore& store_;
    identity::PasswordStore& passwords_;
    postgres::DatabaseClock& clock_;
    std::vector<identity::User> users_;
    std::vector<identity::Team> teams_;
    Author author_;
};

// Works on the database, so that the first system admin, or one who is locked out, can get in.
int run_admin(const CommandContext& context, const app::Settings& settings, AdminRequest request) {
    auto database = app::Database::attach(settings);
    Result<Answer> answer = fail(Errc::internal, "Nothing ran.");
    if (!database) {
        answer = fail(database.error());
    } else {
        if (request.base_url.empty()) request.base_url = known_server(settings, **database);
        boost::asio::io_context io(1);
        postgres::Pool pool(io.get_executor(), (*database)->app(), {.connections = 1});
        postgres::IdentityStore store(io.get_executor(), pool);
        postgres::PasswordStore passwords(pool, store.known());
        postgres::DatabaseClock clock(pool);
        Administration administration(store, passwords, clock);
        pool.start();
        boost::asio::co_spawn(
            io,
            [&]() -> awaitable<void> {
                answer = co_await administration.run(request);
                pool.stop();
            },
            [](const std::exception_ptr& error) {
                if (error) std::rethrow_exception(error);
            });
        io.run();
    }
    if (!answer && answer.error().code == Errc::unavailable) {
        answer.error().message +=
            " Name the server's database with --data FOLDER, --database.url URL or --config FILE; "
            "a private database runs only while its server does.";
    }
    if (!answer) return refuse(context, answer.error());
    context.terminal.line(context.json ? answer->value.dump(2) : answer->text);
    return 0;
}

}  // namespace

void add_admin(CLI::App& app, CommandContext& context) {
    auto* command =
        app.add_subcommand("admin", "Manage users, teams and tokens directly in the database");
    command->require_subcommand(1);
    const auto flags = std::make_shared<SettingsFlags>(jobs::kAdmin);
    flags->add_to(*command);
    const auto request = std::make_shared<AdminRequest>();
    const auto add = [&](const char* name, const char* help, What what) {
        auto* sub = command->add_subcommand(name, help)->fallthrough();
        sub->callback([&context, flags, request, what] {
            request->what = what;
            const auto settings = flags->load();
            context.exit_code =
                settings ? run_admin(context, *settings, *request)
                         : refuse(context, settings.error(), terminal::ExitStatus::usage);
        });
        return sub;
    };
    auto* link = add("sign-in-link", "Print a one-time sign-in link", What::sign_in_link);
    const auto name_whose = [&](CLI::App* sub) {
        sub->add_option("--user", request->user,
                        "Name of the user (default: the first system admin)");
        sub->add_option("--team", request->team, "Name of the team (default: the user's first)");
    };
    name_whose(link);
    auto* password_link =
        add("password-link", "Print a one-time link for setting a password", What::password_link);
    password_link->add_option("--user", request->user, "Name of the user")->required();
    for (auto* printing : {link, password_link}) {
        printing->add_option("--base-url", request->base_url,
                             "URL of the server as browsers reach it (default: the server you are "
                             "signed in to, or the one that runs on this data folder)");
    }
    add("users", "List the users", What::list_users);
    auto* user = add("add-user", "Add a user", What::add_user);
    user->add_option("name", request->user, "Name")->required();
    user->add_option("--email", request->email, "Email address");
    user->add_flag("--administrator", request->administrator,
                   "Make a system admin, who manages users, teams and devices");
    auto* change = add("set-user", "Rename, disable or promote a user", What::set_user);
    change->add_option("name", request->user, "Name")->required();
    auto* changes = change->add_option_group("Changes");
    changes->require_option(1, 0);
    changes->add_option("--name", request->change.name, "New name");
    changes->add_option("--email", request->change.email, "Email address; empty: none");
    changes->add_option("--administrator", request->change.administrator,
                        "true or false: system admin, who manages users, teams and devices");
    changes->add_option("--disabled", request->change.disabled,
                        "true or false: block sign-in, tokens and sessions");
    add("remove-user", "Remove a user; what the user created stays with the teams",
        What::remove_user)
        ->add_option("name", request->user, "Name")
        ->required();
    add("remove-second-factor", "Remove the second factor of a user who lost it",
        What::remove_second_factor)
        ->add_option("name", request->user, "Name")
        ->required();
    add("teams", "List the teams", What::list_teams);
    add("add-team", "Add a team", What::add_team)
        ->add_option("name", request->team, "Name")
        ->required();
    auto* changed_team = add("set-team", "Rename or archive a team", What::set_team);
    changed_team->add_option("name", request->team, "Name")->required();
    auto* team_changes = changed_team->add_option_group("Changes");
    team_changes->require_option(1, 0);
    team_changes->add_option("--name", request->team_change.name, "New name");
    team_changes->add_option("--archived", request->team_change.archived,
                             "true or false: nobody can act in it, and its schedules do not run");
    auto* member =
        add("set-member", "Add a user to a team, or change the user's role", What::set_member);
    member->add_option("--team", request->team, "Name of the team")->required();
    member->add_option("--user", request->user, "Name of the user")->required();
    member->add_option("--role", request->role, "viewer, member, admin or owner")
        ->check(CLI::IsMember({"viewer", "member", "admin", "owner"}))
        ->capture_default_str();
    auto* token =
        add("add-token", "Create an API token and print its secret once", What::add_token);
    token->add_option("name", request->token_name, "Purpose")->required();
    name_whose(token);
    token->add_option("--scope", request->scopes, "Scope of the token")
        ->required()
        ->check(CLI::IsMember(
            std::vector<std::string>(identity::kScopes.begin(), identity::kScopes.end())));
}

}  // namespace plimsoll::cli
