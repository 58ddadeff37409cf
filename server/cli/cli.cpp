#include "server/cli/cli.hpp"

#include "server/cli/commands.hpp"
#include "server/jobs/command.hpp"
#include "server/terminal/command_context.hpp"

#include <cstdio>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {

int run(int argc, char** argv) {
    CommandContext context;
    CLI::App app(
        "Plimsoll tells a team how much each GPU can carry, and runs their batch work on it.",
        "plimsoll");
    app.require_subcommand(1);
    app.set_version_flag("--version", PLIMSOLL_VERSION);
    app.add_flag("--json", context.json, "Print JSON for programs");
    app.fallthrough();
    for (auto* add : kCommands) add(app, context);
    for (const auto& kind : jobs::commands()) {
        if (kind.add != nullptr) kind.add(app, context);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "Error: %s\n", error.what());
        return 70;
    }
    return context.exit_code;
}

}  // namespace plimsoll::cli
