#pragma once

#include "server/app/settings.hpp"

#include <map>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI
namespace plimsoll::terminal {
struct CommandContext;
}

namespace plimsoll::cli {

// The settings that a command reads as flags, each named by its key; some also have a short name:
// --port.
class SettingsFlags {
  public:
    explicit SettingsFlags(jobs::Reader reader) : reader_(reader) {}

    // Must outlive `command`.
    void add_to(CLI::App& command);
    // Defaults, file and environment, then these flags; Refused if one of them is wrong.
    app::Settings load() const;

  private:
    struct Flag {
        std::string value;
        const CLI::Option* option = nullptr;
    };

    jobs::Reader reader_;
    std::string file_;
    std::map<std::string, Flag> flags_;
    bool insecure_ = false;
};

// A command that runs with the settings, and handles --print-config and --check-config. `run`
// returns the exit code.
void add_settings_command(CLI::App& app, terminal::CommandContext& context, const char* name,
                          const char* help, jobs::Reader reader,
                          int (*run)(const terminal::CommandContext&, const app::Settings&));

}  // namespace plimsoll::cli
