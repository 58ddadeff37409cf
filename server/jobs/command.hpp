#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
}
namespace plimsoll::terminal {
struct CommandContext;
struct Finding;
struct JobInput;
}  // namespace plimsoll::terminal

namespace plimsoll::jobs {

struct KindSettings;

// A flag of `plimsoll submit` whose values become an array of the arguments.
struct ListFlag {
    const char* flag = nullptr;  // "--symbols"
    const char* help = "";
    const char* member = "";  // of the arguments
    Result<std::vector<std::string>> (*read)(const std::vector<std::string>& given) = nullptr;
};

// The optional third part of a kind, all of whose members are optional: what the command line needs
// from it. Every folder server/kinds/<kind>/command defines plimsoll::jobs::<kind>::kCommand.
struct Command {
    std::string_view kind;
    // Adds the kind's own commands to the program, see server/cli/commands.hpp: those that work on
    // this machine, and those that ask the server.
    void (*add_local)(CLI::App& app, terminal::CommandContext& context) = nullptr;
    void (*add)(CLI::App& app, terminal::CommandContext& context) = nullptr;
    // A report's summary for a terminal with tables of this many columns (0: unlimited); null: its
    // members are shown as they are.
    std::string (*summary_text)(const nlohmann::json& summary, std::size_t width) = nullptr;
    // A job's arguments from a file, in place of terminal::read_input_file(), which reads items;
    // null: the kind takes items.
    Result<terminal::JobInput> (*read_file)(const std::string& file,
                                            const std::vector<std::string>& columns) = nullptr;
    // A list that `plimsoll submit` accepts for this kind; null flag: none.
    ListFlag list = {};
    // Findings of `plimsoll doctor` about what the kind needs on this machine.
    std::vector<terminal::Finding> (*examine)(const KindSettings& settings) = nullptr;
};

std::span<const Command> commands();  // commands.cpp, linked into the command line
const Command* find_command(std::string_view kind);

}  // namespace plimsoll::jobs
