#pragma once

#include "engine/opencl/runtime/device.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace plimsoll::opencl {

// Whether a device still does as it is told. After some errors, such as an access out of bounds on
// a GPU, every later call of the context fails or does nothing, whoever makes it; only a new
// process helps. Makes its one small buffer when it is made, so that a lack of memory is not taken
// for that.
class AnswerCheck {
  public:
    // `device` must outlive it.
    static Result<AnswerCheck> make(const Device& device);

    // Writes numbers that were not there before, reads them back and compares. Errc::corrupt when
    // they differ, else what the device answers.
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
