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

// What a driver made of a program, in its own format.
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

// Whether work copies to its device by Transfers, through a queue of their own and beside what is
// computed, or by Device::write(), in the one queue.
enum class SecondQueue {
    none,
    if_own_memory,  // a device that reads the host's memory has nothing to copy
    always,
};

// One device with its one context and one in-order queue. Used by one thread: the device thread.
// Commands run in the order of the calls; only read(), write() and finish() wait for them.
class Device {
  public:
    // Loads the drivers and finds the device. Errc::not_found when no such device is there now.
    static Result<Device> open(const DeviceAddress& address,
                               SecondQueue second_queue = SecondQueue::none);

    const DeviceInfo& info() const { return info_; }

    // Whether work is to copy by Transfers: as it was opened.
    bool copies_apart() const { return copies_apart_; }

    // Whether kernels may use `double`; some GPUs cannot.
    bool computes_doubles() const;

    // Compiles `source` and takes its kernel `name`. The compiler's log is in the message of a
    // failed build.
    Result<Kernel> build(std::string_view source, const std::string& name,
                         const std::string& options = {}) const;

    // The kernel `name` of a program that binary_of() gave for this very device and driver.
    Result<Kernel> load(const ProgramBinary& binary, const std::string& name) const;
    Result<ProgramBinary> binary_of(const Kernel& kernel) const;

    // `bytes` > 0. Many drivers allocate at first use: write before relying on it. Where device and
    // host share their memory, the buffer is made to be mapped without a copy, a large one on large
    // pages.
    Result<Buffer> allocate(std::size_t bytes) const;

    // A part of `whole`, which must outlive it. `offset` is a multiple of alignment().
    Result<Buffer> part_of(const Buffer& whole, std::size_t offset, std::size_t bytes) const;

    // Bytes at which parts of a buffer may begin (CL_DEVICE_MEM_BASE_ADDR_ALIGN).
    std::size_t alignment() const { return alignment_; }

    Result<void> write(const Buffer& to, std::span<const std::byte> from) const;
    // Every byte of `buffer`; in the queue, without waiting.
    Result<void> fill(const Buffer& buffer, std::byte value) const;
    // Waits for everything launched. `buffer` must outlive the mapping.
    Result<Mapping> map(const Buffer& buffer) const;
    Result<void> read(const Buffer& from, std::span<std::byte> to) const;

    Result<void> set_argument(const Kernel& kernel, unsigned index, const Buffer& buffer) const;
    Result<void> set_argument(const Kernel& kernel, unsigned index, std::uint32_t value) const;
    Result<void> set_argument(const Kernel& kernel, unsigned index, float value) const;

    // `items` must be a multiple of `group`. `group` is always given: a driver that chooses one
    // itself compiles again for every choice.
    Result<void> launch(const Kernel& kernel, std::size_t items, std::size_t group) const;

    // Waits until everything launched is done.
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
    std::size_t alignment_ = 0;
    bool copies_apart_ = false;
};

}  // namespace plimsoll::opencl
