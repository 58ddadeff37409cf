#include "server/cli/commands.hpp"
#include "server/client/credentials.hpp"
#include "server/client/revoke.hpp"
#include "server/terminal/command_context.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

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
    auto left = nlohmann::json::array();
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
    if (context.json) {
        context.terminal.line(nlohmann::json{{"signed_out_of", left}}.dump(2));
    } else if (servers.empty()) {
        context.terminal.line("Not signed in to any server.");
    } else {
        for (const auto& server : servers) context.terminal.line("Signed out of " + server + ".");
    }
}

}  // namespace

void add_logout(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<LogoutOptions>();
    auto* command = app.add_subcommand("logout", "Sign out of a server and revoke its token");
    auto* server = command->add_option(
        "server", options->server,
        "URL of the server, or its host (default: PLIMSOLL_SERVER, else the current server)");
    command->add_flag("--all", options->all, "Sign out of every server")->excludes(server);
    command->callback([&context, options] { logout(context, *options); });
}

}  // namespace plimsoll::cli
