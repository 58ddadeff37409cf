#pragma once

#include "engine/opencl/runtime/device.hpp"

#include <array>
#include <cstdint>

namespace plimsoll::opencl {

// Checks whether a device still executes commands. After some errors, such as an out-of-bounds
// access on a GPU, every later call in the context fails or does nothing, and only a new process
// helps. Allocates its one small buffer up front, so that running out of memory is not mistaken for
// a broken context.
class AnswerCheck {
  public:
    // `device` must outlive it.
    static Result<AnswerCheck> make(const Device& device);

    // Writes new numbers, reads them back and compares. Errc::corrupt when they differ; otherwise
    // the error of the failed call.
    Result<void> run();

  private:
    AnswerCheck(const Device& device, Buffer buffer)
        : device_(&device), buffer_(std::move(buffer)) {}

    using Numbers = std::array<std::uint32_t, 64>;

    const Device* device_;
    Buffer buffer_;
    std::uint32_t last_ = 0;  // number written
};

}  // namespace plimsoll::opencl
