#include "server/app/serve.hpp"

#include "server/cli/commands.hpp"
#include "server/cli/machine/settings_flags.hpp"
#include "server/terminal/command_context.hpp"

namespace plimsoll::cli {

void add_serve(CLI::App& app, CommandContext& context) {
    add_settings_command(
        app, context, "serve", "Serve the API and the web pages", jobs::kServer,
        [](const CommandContext& running, const app::Settings& settings) {
            const auto served = app::serve(settings);
            return served ? 0 : refuse(running, served.error(), terminal::ExitStatus::failed);
        });
}

}  // namespace plimsoll::cli
