#pragma once

#include "engine/opencl/runtime/device.hpp"
#include "engine/profiling/device/rates.hpp"

#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace plimsoll::profiling {

// Small numbers of both signs: no overflow, and no zeros, which some devices handle faster.
inline std::vector<float> random_floats(std::size_t count) {
    std::minstd_rand bits(1);
    std::vector<float> values(count);
    for (auto& value : values) value = static_cast<float>(bits() % 2048) / 1024.0F - 1.0F;
    return values;
}

template <class T>
Result<opencl::Buffer> uploaded(const opencl::Device& device, const std::vector<T>& values) {
    auto buffer = device.allocate(values.size() * sizeof(T));
    if (!buffer) return buffer;
    TRY_DO(device.write(*buffer, std::as_bytes(std::span(values))));
    return buffer;
}

inline Result<opencl::Buffer> random_buffer(const opencl::Device& device, std::size_t floats) {
    return uploaded(device, random_floats(floats));
}

// Times `launch` including the wait for completion.
inline Result<Timing> time_launches(const Subject& subject, const Run& launch) {
    const auto& device = subject.programs.device();
    return time_runs(
        [&]() -> Result<void> {
            TRY_DO(launch());
            return device.finish();
        },
        subject.policy, subject.watch);
}

}  // namespace plimsoll::profiling
