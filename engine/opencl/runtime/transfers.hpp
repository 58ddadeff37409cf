#pragma once

#include "engine/opencl/runtime/device.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace plimsoll::opencl {

// Copies from the host to a device while it computes.
//
// `mapped`: writes directly into memory that the device reads; for devices that share host memory.
// `staged`: through two pinned staging buffers and a second queue, so that copying and computing
// overlap; for devices with their own memory.
class Transfers {
  public:
    enum class Mode { mapped, staged };
    static Mode mode_for(const DeviceInfo& info);

    static Result<Transfers> create(const Device& device, Mode mode,
                                    std::size_t piece_bytes = std::size_t{4} << 20);

    Transfers(Transfers&&) noexcept = default;
    ~Transfers();  // waits for pending copies: they read the staging buffers

    // Copies `from` to the beginning of `to`. Work launched earlier may still use `to`; work
    // launched after arrive() sees the bytes. `from` may be reused when this returns.
    Result<void> upload(const Buffer& to, std::span<const std::byte> from);

    // Work launched from now on waits for all uploads so far; this call does not block.
    Result<void> arrive();

  private:
    struct Piece {
        Buffer buffer;
        std::span<std::byte> bytes;  // pinned host memory, mapped as long as the buffer lives
        EventHandle busy;            // the pending copy from it
    };

    explicit Transfers(const Device& device) : device_(&device) {}

    Result<void> stage(const Buffer& to, std::span<const std::byte> from);

    const Device* device_;
    QueueHandle queue_;  // staged only
    std::array<Piece, 2> pieces_;
    std::size_t next_ = 0;
    EventHandle last_;
};

}  // namespace plimsoll::opencl
