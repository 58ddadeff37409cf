#include "server/cli/commands.hpp"
#include "server/client/session.hpp"
#include "server/terminal/command_context.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

int show_identity(const CommandContext& context) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    auto me = api->get_json("/v1/users/me");
    if (!me) return refuse(context, me.error());
    if (context.json) {
        context.terminal.line(me->dump(2));
    } else {
        context.terminal.line(me->at("user").value("name", "") + ", " + me->value("role", "") +
                              " of team " + me->at("team").value("name", "") + " at " +
                              api->server());
    }
    return 0;
}

}  // namespace

void add_whoami(CLI::App& app, CommandContext& context) {
    app.add_subcommand("whoami", "Show the signed-in user, server and team")->callback([&context] {
        context.exit_code = show_identity(context);
    });
}

}  // namespace plimsoll::cli
