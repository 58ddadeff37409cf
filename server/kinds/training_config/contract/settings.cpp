#include "server/kinds/training_config/contract/settings.hpp"

#include "engine/training/gpus/catalogue.hpp"
#include "server/kinds/training_config/contract/default_gpu.hpp"

namespace plimsoll::jobs::training_config {

Result<std::string> check_gpu_profile(std::string_view value) {
    const auto profile = gpu_meant_by(value);
    const bool file = value.ends_with(".json");
    if (profile) return file ? std::string(value) : profile->id;
    if (file)
        return fail(profile.error().code, profile.error().where + ": " + profile.error().message);
    std::string names;
    for (const auto& gpu : ::plimsoll::training::shipped_gpus())
        names += (names.empty() ? "" : ", ") + gpu.id;
    return fail(Errc::invalid_input, "must be a file NAME.json or one of " + names);
}

Result<std::string> check_snapshot_mib(std::string_view value) {
    return whole_number(value, 0, kMaxSnapshotMib);
}

}  // namespace plimsoll::jobs::training_config
