#include "server/app/serve.hpp"

#include "server/cli/commands.hpp"
#include "server/cli/machine/settings_flags.hpp"
#include "server/terminal/command_context.hpp"

#include <cstdio>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

// A line that scripts wait for, at once even in a pipe: "ready http://127.0.0.1:7272".
void announce(const CommandContext& context, std::string_view what, const std::string& url) {
    const auto name = std::string(what);
    context.terminal.line(context.json ? nlohmann::json{{name, url}}.dump() : name + " " + url);
    std::fflush(stdout);
}

}  // namespace

void add_serve(CLI::App& app, CommandContext& context) {
    add_settings_command(
        app, context, "serve", "Serve the API and the web pages", jobs::kServer,
        [](const CommandContext& running, const app::Settings& settings) {
            const auto served = app::serve(
                settings, [&running](auto what, const auto& url) { announce(running, what, url); });
            return served ? 0 : refuse(running, served.error(), terminal::ExitStatus::failed);
        });
}

}  // namespace plimsoll::cli
