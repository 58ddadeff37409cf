#include "server/cli/resource.hpp"
#include "server/client/api_client.hpp"
#include "server/client/credentials.hpp"
#include "server/terminal/read_password.hpp"

#include <cctype>
#include <cstdlib>
#include <utility>

#include <unistd.h>

namespace plimsoll::cli {
namespace {

struct LoginOptions {
    std::string link;    // http://host:port/#/sign-in/plm_signin_…
    std::string server;  // with `token` or `user`, instead of a link
    std::string token;
    std::string user;
    std::string password_file;  // empty: prompts on the terminal
    std::string code;           // of a second factor; empty: prompts when the server needs one
    bool allow_http = false;
};

constexpr std::string_view kFragment = "/#/sign-in/";

std::string host_name() {
    char name[256] = "this machine";
    gethostname(name, sizeof name - 1);
    return name;
}

// Only characters that a token's name may have.
std::string token_name() {
    std::string name = "command line on " + host_name();
    for (auto& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != ' ' && c != '.' && c != '-')
            c = '-';
    return name.substr(0, 64);
}

// A link or a password opens a session, which creates a token and ends.
Result<std::string> sign_in(const std::string& server, const json& with) {
    client::ApiClient api(server, "");
    TRY(auto reply, api.send("POST", "/v1/sessions", with.dump()));
    const auto session = json::parse(reply.body, nullptr, false);
    if (!session.is_object()) return fail(Errc::corrupt, "The server's response is not JSON.");
    const auto& cookie = reply.headers["set-cookie"];
    const client::Headers headers = {{"cookie", cookie.substr(0, cookie.find(';'))},
                                     {"x-csrf-token", session.value("csrf_token", "")}};
    TRY(auto created,
        api.post_json("/v1/tokens", {{"name", token_name()}, {"scopes", session.at("scopes")}},
                      headers));
    TRY_DO(api.send("DELETE", "/v1/sessions/current", {}, headers));
    return created.at("secret").get<std::string>();
}

// The origin that a token may be sent to, or the reason why not.
Result<std::string> trusted_origin(const std::string& address, bool allow_http) {
    auto origin = client::origin_of(address);
    if (!origin) return origin;
    const bool is_private = client::is_private(*origin);
    if (is_private && allow_http) {
        return fail(Errc::invalid_input, "--allow-http has no effect for " + *origin +
                                             ", where the token is not exposed: omit it.");
    }
    if (is_private || allow_http) return origin;
    return fail(Errc::invalid_input,
                *origin +
                    " is another machine, and plain HTTP would expose the token: use https://, or "
                    "--allow-http on a trusted network.");
}

// Whether a sign-in was refused because of the member that holds the second factor's code.
bool names_code(const Error& error) {
    return error.code == Errc::unauthenticated &&
           error.message.find("/credentials/code") != std::string::npos;
}

Result<client::Credentials> by_password(const LoginOptions& options, const std::string& origin) {
    TRY(auto password,
        terminal::read_password(options.password_file, "Password of " + options.user));
    json credentials = {{"user", options.user}, {"password", std::move(password)}};
    if (!options.code.empty()) credentials["code"] = options.code;
    auto token = sign_in(origin, {{"credentials", credentials}});
    if (!token && options.code.empty() && names_code(token.error())) {
        auto code = terminal::ask_password("Code from your authenticator app, or a recovery code");
        if (!code) {
            return fail(Errc::unauthenticated,
                        "This user has a second factor: pass --code with the current code from the "
                        "authenticator app, or with a recovery code.");
        }
        credentials["code"] = std::move(*code);
        token = sign_in(origin, {{"credentials", credentials}});
    }
    if (!token) return fail(token.error());
    return client::Credentials{origin, *token, options.allow_http};
}

Result<client::Credentials> credentials_of(const LoginOptions& options) {
    if (options.link.empty()) {
        TRY(auto origin, trusted_origin(options.server, options.allow_http));
        if (!options.user.empty()) return by_password(options, origin);
        return client::Credentials{origin, options.token, options.allow_http};
    }
    const auto at = options.link.find(kFragment);
    if (at == std::string::npos) {
        return fail(Errc::invalid_input,
                    "A sign-in link looks like http://host:port/#/sign-in/plm_signin_…; `plimsoll "
                    "admin sign-in-link` prints one on the server's machine. With a password: "
                    "plimsoll login --server https://host:port --user NAME.");
    }
    TRY(auto origin, trusted_origin(options.link.substr(0, at), options.allow_http));
    auto token = sign_in(origin, {{"sign_in_token", options.link.substr(at + kFragment.size())}});
    if (!token && token.error().code == Errc::unauthenticated) {
        return fail(
            Errc::unauthenticated,
            "The link has already been used or has expired. A system admin can create another one "
            "with `plimsoll admin sign-in-link`.");
    }
    if (!token) return fail(token.error());
    return client::Credentials{origin, *token, options.allow_http};
}

// A token that an earlier login made for this server is revoked: nobody would use it any more.
Result<void> remember(const CommandContext& context, const client::Credentials& credentials,
                      bool made_by_login) {
    TRY(auto wallet, client::load_wallet());
    auto& entry = wallet.servers[credentials.server];
    const auto earlier = std::exchange(
        entry, client::Wallet::Entry{credentials.token, credentials.allow_http, made_by_login});
    wallet.current = credentials.server;
    TRY_DO(client::save_wallet(wallet));
    if (!earlier.made_by_login || earlier.token == credentials.token) return {};
    if (const auto revoked = client::revoke(credentials.server, earlier.token); !revoked) {
        context.terminal.note("The token of the previous login is still valid on the server. " +
                              revoked.error().message);
    }
    return {};
}

void login(const CommandContext& context, const LoginOptions& options) {
    const auto credentials = need(credentials_of(options));
    client::ApiClient api(credentials.server, credentials.token);
    const auto me = need(api.get_json("/v1/users/me"));
    need(remember(context, credentials, options.token.empty()));
    if (context.json) {
        context.terminal.line(
            json{{"server", credentials.server}, {"user", me.at("user")}, {"team", me.at("team")}}
                .dump(2));
    } else {
        context.terminal.line("Signed in to " + credentials.server + " as " +
                              me.at("user").value("name", "") + ", team " +
                              me.at("team").value("name", "") + ".");
    }
}

struct LogoutOptions {
    std::string server;  // empty: the current one
    bool all = false;
};

std::vector<std::string> named(const client::Wallet& wallet, const LogoutOptions& options) {
    std::vector<std::string> servers;
    if (options.all) {
        for (const auto& [server, entry] : wallet.servers) servers.push_back(server);
        return servers;
    }
    const char* set = std::getenv("PLIMSOLL_SERVER");
    auto wanted = options.server.empty() && set != nullptr ? std::string(set) : options.server;
    if (wanted.empty()) wanted = wallet.current;
    if (wanted.empty()) return servers;
    servers.push_back(need(client::find_server(wallet, wanted)));
    return servers;
}

void logout(const CommandContext& context, const LogoutOptions& options) {
    auto wallet = need(client::load_wallet());
    const auto servers = named(wallet, options);
    auto left = json::array();
    for (const auto& server : servers) {
        const auto entry = wallet.servers.at(server);
        if (entry.made_by_login) {
            if (const auto revoked = client::revoke(server, entry.token); !revoked) {
                context.terminal.note("The token is still valid on the server. " +
                                      revoked.error().message);
            }
        }
        wallet.servers.erase(server);
        if (wallet.current == server) wallet.current.clear();
        left.push_back(server);
    }
    need(client::save_wallet(wallet));
    if (context.json)
        context.terminal.line(json{{"signed_out_of", left}}.dump(2));
    else if (servers.empty())
        context.terminal.line("Not signed in to any server.");
    else
        for (const auto& server : servers) context.terminal.line("Signed out of " + server + ".");
}

void list_servers(const CommandContext& context, const client::Wallet& wallet) {
    if (context.json) {
        auto servers = json::array();
        for (const auto& [server, entry] : wallet.servers) servers.push_back(server);
        context.terminal.line(
            json{{"servers", servers},
                 {"current", wallet.current.empty() ? nullptr : json(wallet.current)}}
                .dump(2));
        return;
    }
    if (wallet.servers.empty()) context.terminal.line("Not signed in to any server.");
    for (const auto& [server, entry] : wallet.servers)
        context.terminal.line((server == wallet.current ? "* " : "  ") + server);
}

void use(const CommandContext& context, const std::string& text) {
    auto wallet = need(client::load_wallet());
    if (text.empty()) return list_servers(context, wallet);
    auto server = need(client::find_server(wallet, text));
    wallet.current = std::move(server);
    need(client::save_wallet(wallet));
    return list_servers(context, wallet);
}

void show_identity(const CommandContext& context) {
    auto api = need(client::signed_in());
    auto me = need(api.get_json("/v1/users/me"));
    if (context.json) {
        context.terminal.line(me.dump(2));
    } else {
        context.terminal.line(me.at("user").value("name", "") + ", " + me.value("role", "") +
                              " of team " + me.at("team").value("name", "") + " at " +
                              api.server());
    }
}

}  // namespace

void add_login(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<LoginOptions>();
    auto* command = app.add_subcommand("login", "Sign in to a server");
    auto* link =
        command->add_option("link", options->link, "One-time sign-in link that the server printed");
    auto* server = command
                       ->add_option("--server", options->server,
                                    "URL of the server, with --token or --user: https://host:port")
                       ->excludes(link);
    auto* token = command->add_option("--token", options->token, "An API token")
                      ->needs(server)
                      ->excludes(link);
    auto* user = command
                     ->add_option("--user", options->user,
                                  "Email address or name, to sign in with a password; prompts "
                                  "for it")
                     ->needs(server)
                     ->excludes(token);
    command
        ->add_option("--password-file", options->password_file,
                     "File whose first line is the password; -: standard input")
        ->needs(user);
    command
        ->add_option("--code", options->code,
                     "Code from your authenticator app, or a recovery code (default: prompts when "
                     "one is needed)")
        ->needs(user);
    command->add_flag("--allow-http", options->allow_http,
                      "Allow sending the token unencrypted to another machine, now and later");
    command->callback([&context, options, link, token, user] {
        if (link->empty() && token->empty() && user->empty())
            throw CLI::RequiredError("link, or --server with --token or --user");
        login(context, *options);
    });
}

void add_logout(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<LogoutOptions>();
    auto* command = app.add_subcommand("logout", "Sign out of a server and revoke its token");
    auto* server = command->add_option(
        "server", options->server,
        "URL of the server, or its host (default: PLIMSOLL_SERVER, else the current server)");
    command->add_flag("--all", options->all, "Sign out of every server")->excludes(server);
    command->callback([&context, options] { logout(context, *options); });
}

void add_use(CLI::App& app, CommandContext& context) {
    const auto server = std::make_shared<std::string>();
    auto* command =
        app.add_subcommand("use", "Choose the current server from those you are signed in to");
    command->add_option("server", *server,
                        "URL of the server, or its host (default: list the servers)");
    command->callback([&context, server] { use(context, *server); });
}

void add_whoami(CLI::App& app, CommandContext& context) {
    app.add_subcommand("whoami", "Show the signed-in user, server and team")->callback([&context] {
        show_identity(context);
    });
}

}  // namespace plimsoll::cli
