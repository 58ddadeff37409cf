#pragma once

#include "server/app/settings.hpp"

#include <map>
#include <string>

namespace CLI {
class App;
}
namespace plimsoll::terminal {
struct CommandContext;
}

namespace plimsoll::cli {

// The server's settings as flags, each named by its key; some also have a short name: --port.
class SettingsFlags {
  public:
    // Which settings the command's help lists; all are accepted.
    enum class Listed { all, database };

    // Must outlive `command`.
    void add_to(CLI::App& command, Listed listed);
    // Defaults, file and environment, then these flags.
    Result<app::Settings> load() const;

  private:
    std::string file_;
    std::map<std::string, std::string> values_;
    bool insecure_ = false;
};

// A command that runs with the settings, and handles --print-config and --check-config. `run`
// returns the exit code.
void add_settings_command(CLI::App& app, terminal::CommandContext& context, const char* name,
                          const char* help, SettingsFlags::Listed listed,
                          int (*run)(const terminal::CommandContext&, const app::Settings&));

}  // namespace plimsoll::cli
