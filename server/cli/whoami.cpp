#include "server/cli/commands.hpp"
#include "server/client/session.hpp"
#include "server/terminal/command_context.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

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

void add_whoami(CLI::App& app, CommandContext& context) {
    app.add_subcommand("whoami", "Show the signed-in user, server and team")->callback([&context] {
        show_identity(context);
    });
}

}  // namespace plimsoll::cli
