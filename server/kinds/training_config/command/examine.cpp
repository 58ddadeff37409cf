#include "server/kinds/training_config/command/examine.hpp"

#include "engine/training/gpus/catalogue.hpp"
#include "server/kinds/training_config/command/detected_gpu.hpp"
#include "server/kinds/training_config/contract/settings.hpp"

namespace plimsoll::jobs::training_config {

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

}  // namespace plimsoll::jobs::training_config
