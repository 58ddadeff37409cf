#pragma once

#include "engine/base/result.hpp"
#include "engine/opencl/calls/handle.hpp"
#include "engine/opencl/devices/device_info.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// A compiled program in the driver's own format.
struct ProgramBinary {
    std::vector<std::byte> bytes;
};

class Device;

// A buffer's bytes in the host's address space, until destroyed. No copy on devices that share the
// host's memory; elsewhere the driver copies there and back.
class Mapping {
  public:
    Mapping(const Device& device, const Buffer& buffer, std::span<std::byte> bytes)
        : device_(&device), buffer_(&buffer), bytes_(bytes) {}
    Mapping(Mapping&& other) noexcept
        : device_(other.device_),
          buffer_(other.buffer_),
          bytes_(std::exchange(other.bytes_, std::span<std::byte>{})) {}
    Mapping& operator=(Mapping&&) = delete;
    ~Mapping();

    std::span<std::byte> bytes() const { return bytes_; }

  private:
    const Device* device_;
    const Buffer* buffer_;
    std::span<std::byte> bytes_;
};

// Whether work copies to its device with Transfers, on a second queue that overlaps computation, or
// with Device::write(), on the only queue.
enum class SecondQueue {
    none,
    if_own_memory,  // devices that read host memory have nothing to copy
    always,
};

// One device with its one context and one in-order queue. Used by one thread: the device thread.
// Commands run in call order; only read(), write() and finish() wait for completion.
class Device {
  public:
    // Loads the drivers and finds the device. Errc::not_found when the device is absent.
    static Result<Device> open(const DeviceAddress& address,
                               SecondQueue second_queue = SecondQueue::none);

    const DeviceInfo& info() const { return info_; }

    // Whether to copy with Transfers: chosen when opened.
    bool copies_apart() const { return copies_apart_; }

    // Whether kernels may use `double`; some GPUs lack it.
    bool computes_doubles() const;

    // Compiles `source` and returns its kernel `name`. A failed build's message has the compiler
    // log.
    Result<Kernel> build(std::string_view source, const std::string& name,
                         const std::string& options = {}) const;

    // The kernel `name` of a binary that binary_of() returned for the same device and driver
    // version.
    Result<Kernel> load(const ProgramBinary& binary, const std::string& name) const;
    Result<ProgramBinary> binary_of(const Kernel& kernel) const;

    // `bytes` > 0. Many drivers allocate at first use: write before relying on it. Where device and
    // host share their memory, the buffer is made to be mapped without a copy, a large one on large
    // pages.
    Result<Buffer> allocate(std::size_t bytes) const;

    Result<void> write(const Buffer& to, std::span<const std::byte> from) const;
    // Sets every byte of `buffer`; enqueued, without waiting.
    Result<void> fill(const Buffer& buffer, std::byte value) const;
    // Waits for all launched work. `buffer` must outlive the mapping.
    Result<Mapping> map(const Buffer& buffer) const;
    Result<void> read(const Buffer& from, std::span<std::byte> to) const;

    Result<void> set_argument(const Kernel& kernel, unsigned index, const Buffer& buffer) const;
    Result<void> set_argument(const Kernel& kernel, unsigned index, std::uint32_t value) const;
    Result<void> set_argument(const Kernel& kernel, unsigned index, float value) const;

    // `items` must be a multiple of `group`. `group` is explicit: a driver that chooses one itself
    // recompiles for every choice.
    Result<void> launch(const Kernel& kernel, std::size_t items, std::size_t group) const;

    // Waits until all launched work is done.
    Result<void> finish() const;

    // For the other classes of this folder.
    cl_context context() const { return context_.get(); }
    cl_command_queue queue() const { return queue_.get(); }
    cl_device_id id() const { return id_; }

  private:
    Device(DeviceInfo info, cl_device_id id, ContextHandle context, QueueHandle queue);

    Result<void> check(std::string_view call, int status) const;
    Result<Kernel> kernel_of(ProgramHandle program, const std::string& name,
                             const std::string& options) const;

    DeviceInfo info_;
    cl_device_id id_;
    ContextHandle context_;
    QueueHandle queue_;
    bool copies_apart_ = false;
};

}  // namespace plimsoll::opencl
