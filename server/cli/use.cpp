#include "server/cli/commands.hpp"
#include "server/client/credentials.hpp"
#include "server/terminal/command_context.hpp"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

void list_servers(const CommandContext& context, const client::Wallet& wallet) {
    if (context.json) {
        auto servers = nlohmann::json::array();
        for (const auto& [server, entry] : wallet.servers) servers.push_back(server);
        context.terminal.line(nlohmann::json{
            {"servers", servers},
            {"current", wallet.current.empty() ? nullptr : nlohmann::json(wallet.current)}}
                                  .dump(2));
        return;
    }
    if (wallet.servers.empty()) context.terminal.line("Not signed in to any server.");
    for (const auto& [server, entry] : wallet.servers) {
        context.terminal.line((server == wallet.current ? "* " : "  ") + server);
    }
}

void use(const CommandContext& context, const std::string& text) {
    auto wallet = need(client::load_wallet());
    if (text.empty()) return list_servers(context, wallet);
    auto server = need(client::find_server(wallet, text));
    wallet.current = std::move(server);
    need(client::save_wallet(wallet));
    return list_servers(context, wallet);
}

}  // namespace

void add_use(CLI::App& app, CommandContext& context) {
    const auto server = std::make_shared<std::string>();
    auto* command =
        app.add_subcommand("use", "Choose the current server from those you are signed in to");
    command->add_option("server", *server,
                        "URL of the server, or its host (default: list the servers)");
    command->callback([&context, server] { use(context, *server); });
}

}  // namespace plimsoll::cli
