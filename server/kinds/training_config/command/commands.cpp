#include "server/kinds/training_config/command/commands.hpp"

#include "engine/training/gpus/catalogue.hpp"
#include "server/jobs/command.hpp"
#include "server/kinds/training_config/command/described_cards.hpp"
#include "server/kinds/training_config/command/summary_text.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/kinds/training_config/contract/settings.hpp"
#include "server/terminal/files/job_file.hpp"
#include "server/terminal/finding.hpp"

#include <cstdio>

namespace plimsoll::jobs::training_config {
namespace {

void add(CLI::App& app, CommandContext& context) {
    for (auto* add_command : {add_estimate, add_gpu_profiles, add_guide, add_diagnose,
                              add_compare_memory, add_apply, add_show_config, add_check}) {
        add_command(app, context);
    }
}

// What `doctor` says of the default GPU.
std::vector<terminal::Finding> examine(const KindSettings& settings) {
    using Grade = terminal::Finding::Grade;
    const std::string chosen(settings.text(kGpuProfile));
    const std::string about = "GPU profile";
    const std::string standard = "The default GPU of estimates is " + chosen;
    const auto card = detected_gpu();
    if (!card)
        return {{Grade::good, about, standard + "; no NVIDIA GPU was found on this machine.", ""}};
    const auto own = training::profile_for(*card);
    if (own.id == chosen)
        return {{Grade::good, about,
                 standard + ", which matches this machine's " + card->name + ".", ""}};
    return {{Grade::remark, about, standard + ", but this machine's GPU is " + card->name + ".",
             "Set GPU_PROFILE=" + own.id + ", or choose a GPU with --gpu."}};
}

}  // namespace

int refuse_input(const CommandContext& context, const Error& error) {
    return refuse(context, error, terminal::ExitStatus::usage);
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

void answer(CommandContext& context, const Result<Answer>& told) {
    if (!told) {
        context.exit_code = refuse_input(context, told.error());
        return;
    }
    // Names in a file of others may not be UTF-8.
    constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
    print(context.json ? told->value.dump(2, ' ', false, kReplace) + "\n" : told->text);
    context.exit_code = static_cast<int>(told->status);
}

constinit extern const Command kCommand{.kind = kName,
                                        .add_local = add,
                                        .summary_text = summary_text,
                                        .read_file = terminal::read_arguments_file,
                                        .examine = examine};

}  // namespace plimsoll::jobs::training_config
