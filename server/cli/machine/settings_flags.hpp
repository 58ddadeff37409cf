#pragma once

#include "server/app/settings.hpp"

#include <functional>
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

using RunWithSettings = std::function<int(const terminal::CommandContext&, const app::Settings&)>;

// A command that runs with the settings, and handles --print-config and --check-config. `run`
// returns the exit code.
CLI::App* add_settings_command(CLI::App& app, terminal::CommandContext& context, const char* name,
                               const char* help, jobs::Reader reader, RunWithSettings run);

}  // namespace plimsoll::cli
