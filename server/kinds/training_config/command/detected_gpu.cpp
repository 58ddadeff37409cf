#include "server/kinds/training_config/command/detected_gpu.hpp"

#include "engine/training/gpus/catalogue.hpp"
#include "server/base/programs/run_program.hpp"
#include "server/kinds/training_config/contract/default_gpu.hpp"

#include <cstdlib>

#include <unistd.h>

namespace plimsoll::jobs::training_config {

Result<training::DetectedGpu> detected_gpu(const CardFlags& flags) {
    if (flags.memory_gib > 0) {
        return training::DetectedGpu{
            flags.name.empty() ? "A GPU" : flags.name,
            static_cast<std::int64_t>(flags.memory_gib * 1024 * 1024 * 1024)};
    }
    const auto tool = run_program({.path = "/usr/bin/env",  // looks it up
                                   .arguments = {"nvidia-smi", "--query-gpu=name,memory.total",
                                                 "--format=csv,noheader,nounits"},
                                   .environment = own_environment(),
                                   .redirections = {{ChildCommand::kNothing, STDERR_FILENO}}});
    if (!tool || tool->status != 0 || tool->output.empty()) {
        return fail(
            Errc::not_found,
            "nvidia-smi lists no GPU on this machine. Describe one with --memory-gib and --name.");
    }
    const auto text = tool->output.substr(0, tool->output.find('\n'));
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
