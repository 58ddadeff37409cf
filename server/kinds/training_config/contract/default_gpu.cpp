#include "server/kinds/training_config/contract/default_gpu.hpp"

#include "engine/base/json.hpp"
#include "engine/training/guides/gpu_profiles_guide.hpp"
#include "server/kinds/training_config/contract/request.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;

Result<tr::GpuProfile> gpu_in_file(const std::string& path) {
    std::ifstream file(path);
    if (!file) return fail(Errc::not_found, "The file cannot be read.", path);
    json described = json::parse(file, nullptr, false);
    if (!described.is_object())
        return fail(Errc::invalid_input, "The file must hold a JSON object.", path);
    if (!described.contains("id")) described["id"] = std::filesystem::path(path).stem().string();
    try {
        auto gpu = parse_custom_gpu(described);
        if (!gpu) return fail(gpu.error().code, gpu.error().message, path + gpu.error().where);
        return gpu;
    } catch (const json::exception& error) {
        return fail(Errc::invalid_input, std::string("A key has the wrong type: ") + error.what(),
                    path);
    }
}

}  // namespace

Result<tr::GpuProfile> gpu_meant_by(std::string_view value) {
    if (value.ends_with(".json")) return gpu_in_file(std::string(value));
    return tr::gpu_guide::resolve(value);
}

Result<tr::GpuProfile> default_gpu() {
    const char* chosen = std::getenv("GPU_PROFILE");
    return gpu_meant_by(chosen != nullptr ? chosen : "");
}

}  // namespace plimsoll::jobs::training_config
