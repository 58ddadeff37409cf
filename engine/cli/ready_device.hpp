#pragma once

#include "engine/models/store.hpp"
#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/programs.hpp"
#include "engine/tuning/gemm_plans.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace plimsoll::cli {

// A device that passed its tests, with its programs and the plans that an earlier `tune` saved.
struct ReadyDevice {
    // Plans that are damaged, or from another version or device, are skipped with a message on
    // standard error.
    ReadyDevice(opencl::Capability tested, opencl::Device opened,
                const std::filesystem::path& cache);

    const opencl::DeviceInfo& info() const { return device.info(); }

    opencl::Capability capability;  // with the features that passed their tests
    opencl::Device device;
    opencl::Programs programs;
    tuning::Plans plans;
    std::filesystem::path plans_file;
};

// Tests all devices in child processes, then opens the one at `address`, or the first ready one
// when it is empty. Errc::not_found, with the reason, when there is none.
Result<std::unique_ptr<ReadyDevice>> open_ready(const std::string& address,
                                                const std::filesystem::path& cache);

// The models in `folder`; empty: those of this machine's workers.
models::Store model_store(const std::filesystem::path& folder);

}  // namespace plimsoll::cli
