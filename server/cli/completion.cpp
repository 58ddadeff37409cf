#include "server/cli/command_tree.hpp"
#include "server/cli/commands.hpp"
#include "server/terminal/command_context.hpp"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {

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
