#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/configs/configured_stages.hpp"
#include "server/kinds/training_config/command/configs/shown_run.hpp"
#include "server/kinds/training_config/command/detected_gpu.hpp"

#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::training_config {
namespace {

// The layout of the NAICS memory guide, whose model is known; any other run names its model.
bool has_stages(const ShowRunRequest& request) {
    return request.paths.size() == 1 && !request.given.has("--preset") &&
           !request.given.has("--config") && std::filesystem::is_directory(request.paths.front());
}

Result<ShownRun> show(const ShowRunRequest& request) {
    if (!has_stages(request)) return show_run(request);
    if (const auto flag = request.given.other_than({"--gpu"}); !flag.empty())
        return fail(Errc::invalid_input,
                    flag + " has no effect: the guide's stages are fixed, and use one GPU.");
    const auto profile = profile_or_default(request.given.value("--gpu"));
    if (!profile) return fail(profile.error());
    const auto stages = read_stages(request.paths.front());
    if (!stages) return fail(stages.error());
    auto told = show_stages(*stages, *profile);
    if (!told) return fail(told.error());
    return ShownRun{std::move(told->value), std::move(told->text)};
}

}  // namespace

void add_show_config(CLI::App& app, CommandContext& context) {
    const auto request = std::make_shared<ShowRunRequest>();
    auto* command = app.add_subcommand("show-config",
                                       "Estimate the memory of a run from its configuration files");
    command
        ->add_option("paths", request->paths,
                     "Files of one run: Transformers, TRL, LLaMA-Factory, Accelerate, DeepSpeed or "
                     "Lightning; or a folder with config.yaml and the stages of the NAICS guide")
        ->required();
    request->given.add_flags(*command);
    command->callback([request, &context] {
        const auto told = show(*request);
        if (!told) {
            context.exit_code = refuse_input(context, told.error());
            return;
        }
        if (context.json) return print_json(context, told->value);
        print(told->text);
    });
}

}  // namespace plimsoll::jobs::training_config
