#include "server/kinds/training_config/command/detected_gpu.hpp"

#include "engine/training/gpus/catalogue.hpp"
#include "server/kinds/training_config/contract/default_gpu.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace plimsoll::jobs::training_config {

Result<training::DetectedGpu> detected_gpu(const CardFlags& flags) {
    if (flags.memory_gib > 0) {
        return training::DetectedGpu{
            flags.name.empty() ? "A GPU" : flags.name,
            static_cast<std::int64_t>(flags.memory_gib * 1024 * 1024 * 1024)};
    }
    const std::unique_ptr<FILE, int (*)(FILE*)> tool(
        popen("nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits 2>/dev/null",
              "r"),
        pclose);
    char line[256] = {};
    if (!tool || std::fgets(line, sizeof line, tool.get()) == nullptr) {
        return fail(
            Errc::not_found,
            "nvidia-smi lists no GPU on this machine. Describe one with --memory-gib and --name.");
    }
    const std::string text = line;
    const auto comma = text.rfind(',');
    const auto mebibytes = comma == std::string::npos ? 0 : std::atoll(text.c_str() + comma + 1);
    if (mebibytes <= 0) return fail(Errc::internal, "nvidia-smi reported: " + text);
    return training::DetectedGpu{text.substr(0, comma), mebibytes << 20};
}

Result<training::GpuProfile> profile_or_default(const std::string& id) {
    if (!id.empty())
        return id.ends_with(".json") ? gpu_meant_by(id) : training::GpuCatalogue().find(id);
    return default_gpu();
}

}  // namespace plimsoll::jobs::training_config
