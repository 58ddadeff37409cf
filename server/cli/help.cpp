#include "server/cli/command_tree.hpp"
#include "server/cli/commands.hpp"
#include "server/cli/usage_error.hpp"
#include "server/terminal/command_context.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {

void add_help(CLI::App& app, CommandContext& context) {
    const auto path = std::make_shared<std::vector<std::string>>();
    auto* command = app.add_subcommand("help", "Show the help of a command, or of all");
    command->add_option("command", *path, "Command: queue share; or all");
    command->callback([&app, &context, path] {
        if (*path == std::vector<std::string>{"all"}) path->clear();
        CLI::App* shown = &app;
        std::string whole = app.get_name();
        for (const auto& name : *path) {
            const auto found = shown->get_subcommands(
                [&name](const CLI::App* sub) { return sub->get_name() == name; });
            const auto* group = shown;
            shown = found.empty() ? nullptr : found.front();
            if (shown == nullptr) throw Refused(unknown_command(*group, name));
            whole += " " + name;
        }
        if (context.json) {
            context.terminal.line(description_json(command_tree(*shown)));
        } else {
            // app.help() would be the help of the command that was parsed: this one.
            context.terminal.line(
                shown->get_formatter()->make_help(shown, whole, CLI::AppFormatMode::Normal));
        }
    });
}

void add_completion(CLI::App& app, CommandContext& context) {
    const auto shell = std::make_shared<std::string>();
    auto* command = app.add_subcommand(
        "completion", "Print shell completion: source <(plimsoll completion bash)");
    command->add_option("shell", *shell, "Shell: bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->callback([&app, &context, shell] {
        if (context.json) {
            throw Refused(Errc::invalid_input,
                          "The script is not JSON: omit --json. `plimsoll manual --json` "
                          "describes every command.");
        }
        context.terminal.line(completion_script(command_tree(app), *shell));
    });
}

void add_manual(CLI::App& app, CommandContext& context) {
    app.add_subcommand("manual", "Print the manual page: plimsoll manual | man -l -")
        ->callback([&app, &context] {
            const auto commands = command_tree(app);
            context.terminal.line(context.json ? description_json(commands)
                                               : manual_page(commands, PLIMSOLL_VERSION));
        });
}

}  // namespace plimsoll::cli
