#pragma once

#include "engine/opencl/runtime/device.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace plimsoll::opencl {

// Copies from the host to a device while it computes.
//
// `mapped`: the bytes are put straight where the device reads them; for devices that share the
// host's memory. `staged`: through two pinned pieces and a queue of its own, so that copying and
// computing overlap; for devices with memory of their own.
class Transfers {
  public:
    enum class Mode { mapped, staged };
    static Mode mode_for(const DeviceInfo& info);

    static Result<Transfers> create(const Device& device, Mode mode,
                                    std::size_t piece_bytes = std::size_t{4} << 20);

    Transfers(Transfers&&) noexcept = default;
    ~Transfers();  // waits for copies under way: they read the pieces

    // Copies `from` to the beginning of `to`. Work that was launched before may still use `to`;
    // what is launched after arrive() sees the bytes. `from` may change when this returns.
    Result<void> upload(const Buffer& to, std::span<const std::byte> from);

    // What is launched from now on waits for all uploads so far; this call does not.
    Result<void> arrive();

  private:
    struct Piece {
        Buffer buffer;
        std::span<std::byte> bytes;  // pinned host memory, mapped as long as the buffer lives
        EventHandle busy;            // the copy out of it
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
