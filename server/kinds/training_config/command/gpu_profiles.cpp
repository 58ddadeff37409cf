#include "server/kinds/training_config/contract/gpu_profiles.hpp"

#include "engine/training/advice/text.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/detected_gpu.hpp"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::training_config {

void add_gpu_profiles(CLI::App& app, CommandContext& context) {
    struct Flags : CardFlags {
        std::string profile;
    };
    const auto flags = std::make_shared<Flags>();
    auto* command = app.add_subcommand("gpu-profiles", "List, check and add GPU profiles");
    command->require_subcommand(1);
    command->add_subcommand("list", "List GPU profiles by memory")->callback([&context] {
        if (context.json) return print_json(context, gpu_profiles_json());
        context.terminal.line(
            format_table(context.terminal, training::text::profile_rows(training::shipped_gpus())));
    });
    auto* test =
        command->add_subcommand("test", "Show a GPU profile and the source of every number");
    test->add_option("profile", flags->profile, "ID of the GPU profile, for example rtx_4090")
        ->required();
    test->callback([flags, &context] {
        const auto profile = training::GpuCatalogue().find(flags->profile);
        if (!profile) {
            context.exit_code = refuse_input(context, profile.error());
            return;
        }
        if (context.json) return print_json(context, gpu_profile_json(*profile));
        print(training::text::profile_details(*profile));
    });
    const auto describe_card = [flags](CLI::App* sub) {
        auto* memory = sub->add_option("--memory-gib", flags->memory_gib,
                                       "Memory of the GPU in GiB (default: ask nvidia-smi)")
                           ->check(CLI::Range(0.5, 4096.0));
        sub->add_option("--name", flags->name, "Name of the GPU")->needs(memory);
    };
    auto* recommend =
        command->add_subcommand("recommend", "Find the GPU profile of this machine's GPU");
    describe_card(recommend);
    recommend->callback([flags, &context] {
        const auto card = detected_gpu(*flags);
        if (!card) {
            context.exit_code = refuse_input(context, card.error());
            return;
        }
        if (context.json) {
            const auto profile = training::profile_for(*card);
            return print_json(context, {{"gpu_profile", profile.id},
                                        {"name", profile.name},
                                        {"by_name", training::profile_named(*card).has_value()}});
        }
        print(training::text::recommendation(*card));
    });
    auto* check =
        command->add_subcommand("check", "Check that this machine's GPU matches a GPU profile");
    check->add_option("profile", flags->profile,
                      "ID of the GPU profile (default: $GPU_PROFILE, else rtx_4090)");
    describe_card(check);
    check->callback([flags, &context] {
        const auto profile = profile_or_default(flags->profile);
        const auto card = detected_gpu(*flags);
        if (!profile || !card) {
            context.exit_code = refuse_input(context, profile ? card.error() : profile.error());
            return;
        }
        const auto result = training::gpu_guide::check(*profile, *card);
        context.exit_code = result.enough_memory ? 0 : 1;
        if (context.json) {
            return print_json(context, {{"gpu_profile", profile->id},
                                        {"enough_memory", result.enough_memory},
                                        {"total_gib", result.total_gb},
                                        {"required_gib", result.required_gb},
                                        {"warnings", result.warnings}});
        }
        print(training::text::check(*profile, result));
    });
    add_team_gpu_profiles(*command, context);
}

}  // namespace plimsoll::jobs::training_config
