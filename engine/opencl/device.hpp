#pragma once

#include "engine/base/result.hpp"
#include "engine/opencl/device_info.hpp"
#include "engine/opencl/handle.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::opencl {

// Memory of a device. Lives no longer than the Device it came from.
struct Buffer {
    BufferHandle memory;
    std::size_t bytes = 0;
};

// A built program and one of its kernels.
struct Kernel {
    ProgramHandle program;
    KernelHandle kernel;
    std::string name;
};

// One device with its one context and one in-order queue. Used by one thread: the device thread.
// Commands run in the order of the calls; only read(), write() and finish() wait for them.
class Device {
  public:
    // Loads the drivers and finds the device. Errc::not_found when no such device is there now.
    static Result<Device> open(const DeviceAddress& address);

    const DeviceInfo& info() const { return info_; }

    // Compiles `source` and takes its kernel `name`. The compiler's log is in the message of a
    // failed build.
    Result<Kernel> build(std::string_view source, const std::string& name,
                         const std::string& options = {}) const;

    // `bytes` > 0. Many drivers allocate at first use: write before relying on it.
    Result<Buffer> allocate(std::size_t bytes) const;

    Result<void> write(const Buffer& to, std::span<const std::byte> from) const;
    Result<void> read(const Buffer& from, std::span<std::byte> to) const;

    Result<void> set_argument(const Kernel& kernel, unsigned index, const Buffer& buffer) const;
    Result<void> set_argument(const Kernel& kernel, unsigned index, std::uint32_t value) const;

    // `items` must be a multiple of `group`. `group` is always given: a driver that chooses one
    // itself compiles again for every choice.
    Result<void> launch(const Kernel& kernel, std::size_t items, std::size_t group) const;

    // Waits until everything launched is done.
    Result<void> finish() const;

  private:
    Device(DeviceInfo info, cl_device_id id, ContextHandle context, QueueHandle queue);

    Result<void> check(std::string_view call, int status) const;

    DeviceInfo info_;
    cl_device_id id_;
    ContextHandle context_;
    QueueHandle queue_;
};

}  // namespace plimsoll::opencl
