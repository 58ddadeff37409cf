#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace plimsoll::cli {

// A command as help, completion and the manual page describe it.
struct CommandInfo {
    struct Option {
        std::string names;  // "--port,-p"; for a positional argument, its name
        std::string type;   // "INT"; empty for flags
        std::string help;
        bool positional = false;
        bool required = false;
    };
    std::string path;  // "queue share"; empty for the program itself
    std::string help;
    std::vector<Option> options;        // those shown in help
    std::vector<std::string> commands;  // subcommands
};

// The program and all its commands, parents before children.
std::vector<CommandInfo> command_tree(const CLI::App& app);

// A script that completes commands and flags. `shell` is bash, zsh or fish.
std::string completion_script(const std::vector<CommandInfo>& commands, const std::string& shell);

// A manual page for man(7).
std::string manual_page(const std::vector<CommandInfo>& commands, const std::string& version);

// The same as JSON, from which the pages' command line reference is generated.
std::string description_json(const std::vector<CommandInfo>& commands);

}  // namespace plimsoll::cli
