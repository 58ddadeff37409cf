#include "server/app/engine_process.hpp"
#include "server/base/programs/spawn.hpp"
#include "server/cli/commands.hpp"
#include "server/cli/machine/settings_flags.hpp"
#include "server/terminal/command_context.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace plimsoll::cli {
namespace {

// Becomes plimsoll-engine: `plimsoll` itself links no OpenCL.
int run_engine(const app::Settings& settings, bool until_idle) {
    const auto& url =
        settings.database.worker_url.empty() ? settings.database.url : settings.database.worker_url;
    if (url.empty()) {
        throw Refused(Errc::invalid_input,
                      "workers need database.worker_url (PLIMSOLL_DATABASE_WORKER_URL): "
                      "the database of their server.");
    }
    setenv("PLIMSOLL_DATABASE_WORKER_URL", url.c_str(), 1);
    app::export_worker_env(settings);
    const auto program = sibling_program("plimsoll-engine");
    execl(program.c_str(), program.c_str(), "supervise", until_idle ? "--until-idle" : nullptr,
          nullptr);
    throw Refused(Errc::invalid_input,
                  program + " cannot be started: " + std::strerror(errno) + ".");
}

}  // namespace

void add_engine(CLI::App& app, CommandContext& context) {
    const auto until_idle = std::make_shared<bool>(false);
    add_settings_command(app, context, "engine", "Run workers for this machine's devices",
                         jobs::kWorkers,
                         [until_idle](const CommandContext&, const app::Settings& settings) {
                             return run_engine(settings, *until_idle);
                         })
        ->add_flag("--until-idle", *until_idle,
                   "Stop when nothing was left to do for 15 seconds, as in a batch system's job");
}

}  // namespace plimsoll::cli
