#include "server/cli/commands.hpp"
#include "server/client/credentials.hpp"
#include "server/terminal/command_context.hpp"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

int list_servers(const CommandContext& context, const client::Wallet& wallet) {
    if (context.json) {
        auto servers = nlohmann::json::array();
        for (const auto& [server, entry] : wallet.servers) servers.push_back(server);
        context.terminal.line(nlohmann::json{
            {"servers", servers},
            {"current", wallet.current.empty() ? nullptr : nlohmann::json(wallet.current)}}
                                  .dump(2));
        return 0;
    }
    if (wallet.servers.empty()) context.terminal.line("Not signed in to any server.");
    for (const auto& [server, entry] : wallet.servers) {
        context.terminal.line((server == wallet.current ? "* " : "  ") + server);
    }
    return 0;
}

int use(const CommandContext& context, const std::string& text) {
    auto wallet = client::load_wallet();
    if (!wallet) return refuse(context, wallet.error());
    if (text.empty()) return list_servers(context, *wallet);
    auto server = client::find_server(*wallet, text);
    if (!server) return refuse(context, server.error());
    wallet->current = std::move(*server);
    if (auto saved = client::save_wallet(*wallet); !saved) return refuse(context, saved.error());
    return list_servers(context, *wallet);
}

}  // namespace

void add_use(CLI::App& app, CommandContext& context) {
    const auto server = std::make_shared<std::string>();
    auto* command =
        app.add_subcommand("use", "Choose the current server from those you are signed in to");
    command->add_option("server", *server,
                        "URL of the server, or its host (default: list the servers)");
    command->callback([&context, server] { context.exit_code = use(context, *server); });
}

}  // namespace plimsoll::cli
