#include "server/jobs/training_config/command/commands.hpp"
#include "server/jobs/training_config/command/configs/configured_stages.hpp"
#include "server/jobs/training_config/command/detected_gpu.hpp"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::training_config {

void add_show_config(CLI::App& app, CommandContext& context) {
    const auto folder = std::make_shared<std::string>();
    const auto gpu = std::make_shared<std::string>();
    auto* command = app.add_subcommand(
        "show-config", "Estimate the memory of every stage in a configuration folder");
    command->add_option("folder", *folder, "Folder with config.yaml and its stages")->required();
    command->add_option("--gpu", *gpu, "GPU profile (default: $GPU_PROFILE, else rtx_4090)");
    command->callback([folder, gpu, &context] {
        const auto profile = profile_or_default(*gpu);
        const auto stages = read_stages(*folder);
        if (!profile || !stages) {
            context.exit_code = refuse_input(context, profile ? stages.error() : profile.error());
            return;
        }
        const auto told = show_stages(*stages, *profile);
        if (!told) {
            context.exit_code = refuse_input(context, told.error());
            return;
        }
        if (context.json) return print_json(context, told->value);
        print(told->text);
    });
}

}  // namespace plimsoll::jobs::training_config
