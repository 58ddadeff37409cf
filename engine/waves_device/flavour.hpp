#pragma once

#include "engine/opencl/devices/device_info.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plimsoll::waves {

// How the same kernels are laid out over a device.
struct Flavour {
    std::string_view name;
    std::size_t group = 1;             // work-items that run in step
    std::size_t starts_per_item = 1;   // fewer: more to run at once, more to begin and to add up
    bool columns = false;              // equal members of bars side by side
    double work_per_launch = 0;        // starts of series of 500 bars: some 10 ms, to be stoppable
    std::size_t counts_per_batch = 0;  // series are searched together while they may hold fewer
    std::size_t kept_bytes = 0;        // a buffer that grew beyond is not kept for the next search
};

// A core works through many starts, one after the other, on bars that stand in one cache line each.
// Its memory is the machine's: batches take some 10 MB.
inline constexpr Flavour kCpuFlavour{"CPU flavour", 1, 64, false, 32'000, 1 << 18, 16 << 20};
// Every start is a work-item of its own; the launch holds as many as fill thousands of lanes.
inline constexpr Flavour kGpuFlavour{"GPU flavour", 64, 1, true, 1'000'000, 6'000'000, SIZE_MAX};

constexpr const Flavour& flavour_of(opencl::DeviceType type) {
    return type == opencl::DeviceType::cpu ? kCpuFlavour : kGpuFlavour;
}

}  // namespace plimsoll::waves
