#pragma once

#include "engine/opencl/runtime/device.hpp"

namespace plimsoll::opencl {

struct Range {
    std::size_t items = 0;  // rounded up to whole groups: kernels check their index
    std::size_t group = 1;
};

// Sets all arguments of `kernel` in order and launches it. Arguments are buffers, std::uint32_t and
// float. With no items nothing is launched.
template <class... Arguments>
Result<void> invoke(const Device& device, const Kernel& kernel, Range range,
                    const Arguments&... arguments) {
    if (range.items == 0) return {};
    unsigned index = 0;
    Result<void> done;
    const auto set = [&](const auto& argument) {
        if (done) done = device.set_argument(kernel, index++, argument);
    };
    (set(arguments), ...);
    if (!done) return done;
    const auto groups = (range.items + range.group - 1) / range.group;
    return device.launch(kernel, groups * range.group, range.group);
}

}  // namespace plimsoll::opencl
