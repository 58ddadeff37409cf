#include "server/jobs/training_config/contract/settings.hpp"

#include "engine/training/guides/gpu_profiles_guide.hpp"

namespace plimsoll::jobs::training_config {

Result<std::string> check_gpu_profile(std::string_view value) {
    const auto profile = ::plimsoll::training::gpu_guide::resolve(std::string(value));
    if (profile) return profile->id;
    std::string names;
    for (const auto& gpu : ::plimsoll::training::shipped_gpus()) {
        names += (names.empty() ? "" : ", ") + gpu.id;
    }
    return fail(Errc::invalid_input, "must be one of " + names);
}

}  // namespace plimsoll::jobs::training_config
