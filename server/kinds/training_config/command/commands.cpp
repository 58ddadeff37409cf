#include "server/kinds/training_config/command/commands.hpp"

#include "server/jobs/command.hpp"
#include "server/kinds/training_config/command/examine.hpp"
#include "server/kinds/training_config/command/summary_text.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/terminal/files/arguments_file.hpp"

#include <cstdio>

namespace plimsoll::jobs::training_config {
namespace {

void add(CLI::App& app, CommandContext& context) {
    for (auto* add_command : {add_estimate, add_gpu_profiles, add_guide, add_diagnose, add_apply,
                              add_show_config, add_check}) {
        add_command(app, context);
    }
}

}  // namespace

int refuse_input(const CommandContext& context, const Error& error) {
    return refuse(context, error, terminal::ExitStatus::usage);
}

void print_json(const CommandContext& context, const nlohmann::json& value) {
    context.terminal.line(value.dump(2));
}

void print(const std::string& text) {
    std::fputs(text.c_str(), stdout);
}

constinit extern const Command kCommand{.kind = kName,
                                        .add_local = add,
                                        .summary_text = summary_text,
                                        .read_file = terminal::read_arguments_file,
                                        .examine = examine};

}  // namespace plimsoll::jobs::training_config
