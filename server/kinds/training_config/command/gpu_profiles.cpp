#include "server/kinds/training_config/contract/gpu_profiles.hpp"

#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/guides/gpu_profiles_guide.hpp"
#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/described_cards.hpp"
#include "server/kinds/training_config/contract/bytes.hpp"
#include "server/kinds/training_config/contract/default_gpu.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;
namespace guide = ::plimsoll::training::gpu_guide;

// The guide's batches are for daily and hourly series.
std::vector<std::vector<std::string>> profile_rows() {
    std::vector<std::vector<std::string>> rows = {
        {"PROFILE", "GPU", "MEMORY", "DAILY BATCH", "HOURLY BATCH", "WORKERS"}};
    const auto shipped = tr::shipped_gpus();
    std::vector<tr::GpuProfile> all(shipped.begin(), shipped.end());
    std::ranges::sort(all, {}, [](const tr::GpuProfile& p) {
        return std::pair(p.total_bytes(), std::string_view(p.id));
    });
    const auto standard = default_gpu();
    for (const auto& p : all) {
        auto& row = rows.emplace_back(
            std::vector<std::string>{p.id, p.name, gib_text(p.total_bytes()), "", "", ""});
        if (standard && standard->id == p.id) row[1] += " (default)";
        if (!p.guide) continue;
        row[3] = std::to_string(p.guide->batch_size_1d);
        row[4] = std::to_string(p.guide->batch_size_1h);
        row[5] = std::to_string(p.guide->max_workers);
    }
    return rows;
}

std::string warnings_text(const std::vector<std::string>& warnings) {
    std::string out;
    for (const auto& warning : warnings) out += "  warning: " + warning + "\n";
    return out;
}

std::string details(const tr::GpuProfile& p) {
    std::string out = fmt::format("{} ({}, {}", p.name, p.id, p.architecture);
    out += p.is_amd() ? ")\n"
                      : fmt::format(", compute capability {}.{})\n", p.compute_capability / 10,
                                    p.compute_capability % 10);
    const auto line = [&](const char* what, const std::string& value, const std::string& source) {
        out += fmt::format("  {:<16} {:>16}  [{}]\n", what, value, source);
    };
    line("memory", gib_text(p.total_bytes()), p.memory_bytes.source);
    line("context", gib_text(p.total_bytes() - p.usable_bytes()), p.context_bytes.source);
    line("bandwidth", fmt::format("{:.0f} GB/s", p.bandwidth.value / 1e9), p.bandwidth.source);
    const std::pair<const char*, const tr::Figure*> rates[] = {
        {"fp32", &p.fp32_flops}, {"fp16", &p.fp16_flops}, {"bf16", &p.bf16_flops}};
    for (const auto& [what, flops] : rates)
        line(what, fmt::format("{:.1f} TFLOP/s", flops->value / 1e12), flops->source);
    if (!p.guide) return out;
    const auto& g = *p.guide;
    out += fmt::format("  guide: batch {} daily, {} hourly, {} workers, {} and {} GB a model\n",
                       g.batch_size_1d, g.batch_size_1h, g.max_workers, g.memory_per_model_1d_gb,
                       g.memory_per_model_1h_gb);
    for (const auto& note : {g.use_case, g.notes})
        if (!note.empty()) out += "  guide: " + note + "\n";
    if (g.minutes > 0)
        out += fmt::format("  guide's table: {} speedup, five hourly models in about {} minutes\n",
                           g.speedup, g.minutes);
    return out +
           fmt::format("  guide's formula: five hourly models in {:.0f} minutes\n",
                       guide::training_minutes(g, "1h")) +
           warnings_text(guide::warnings(p));
}

Result<Answer> test(const std::string& id) {
    TRY(const auto profile, gpu_named(id));
    return Answer{gpu_profile_json(profile), details(profile)};
}

Result<Answer> recommend(const CardFlags& flags) {
    TRY(const auto card, detected_gpu(flags));
    const auto profile = tr::profile_for(card);
    const bool by_name = tr::profile_named(card).has_value();
    TRY(const auto shipped, tr::GpuCatalogue().find(profile.id));
    const char* why = by_name ? ""
                      : shipped.total_bytes() > card.total_bytes
                          ? ", the catalogue's smallest, which has more memory than this GPU"
                          : ", the catalogue's closest by memory";
    return Answer{{{"gpu_profile", profile.id}, {"name", profile.name}, {"by_name", by_name}},
                  fmt::format("{} with {}: use {}{} (GPU_PROFILE={})\n", card.name,
                              gib_text(card.total_bytes), profile.name, why, profile.id)};
}

Result<Answer> check(const std::string& id, const CardFlags& flags) {
    TRY(const auto profile, profile_or_default(id));
    TRY(const auto card, detected_gpu(flags));
    const auto found = guide::check(profile, card);
    return Answer{{{"gpu_profile", profile.id},
                   {"enough_memory", found.enough_memory},
                   {"total_gib", found.total_gb},
                   {"required_gib", found.required_gb},
                   {"warnings", found.warnings}},
                  fmt::format("{}: {:.1f} of {:.0f} GB, {}\n", profile.id, found.total_gb,
                              found.required_gb, found.enough_memory ? "enough" : "not enough") +
                      warnings_text(found.warnings),
                  found.enough_memory ? terminal::ExitStatus::done : terminal::ExitStatus::failed};
}

}  // namespace

void add_gpu_profiles(CLI::App& app, CommandContext& context) {
    struct Flags : CardFlags {
        std::string profile;
        Flags() { other = "--memory-gib and --name"; }
    };
    const auto flags = std::make_shared<Flags>();
    auto* command = app.add_subcommand("gpu-profiles", "List, check and add GPU profiles");
    command->require_subcommand(1);
    command->add_subcommand("list", "List GPU profiles by memory")->callback([&context] {
        answer(context,
               Answer{gpu_profiles_json(), format_table(context.terminal, profile_rows()) + "\n"});
    });
    auto* testing =
        command->add_subcommand("test", "Show a GPU profile and the source of every number");
    testing->add_option("profile", flags->profile, "ID of the GPU profile, for example rtx_4090")
        ->required();
    testing->callback([flags, &context] { answer(context, test(flags->profile)); });
    const auto describe_card = [flags](CLI::App* sub) {
        auto* memory = sub->add_option("--memory-gib", flags->memory_gib,
                                       "Memory of the GPU in GiB (default: ask nvidia-smi)")
                           ->check(CLI::Range(0.5, 4096.0));
        sub->add_option("--name", flags->name, "Name of the GPU")->needs(memory);
    };
    auto* recommending =
        command->add_subcommand("recommend", "Find the GPU profile of this machine's GPU");
    describe_card(recommending);
    recommending->callback([flags, &context] { answer(context, recommend(*flags)); });
    auto* checking =
        command->add_subcommand("check", "Check that this machine's GPU matches a GPU profile");
    checking->add_option("profile", flags->profile,
                         "ID of the GPU profile (default: $GPU_PROFILE, else rtx_4090)");
    describe_card(checking);
    checking->callback([flags, &context] { answer(context, check(flags->profile, *flags)); });
    add_team_gpu_profiles(*command, context);
}

}  // namespace plimsoll::jobs::training_config
