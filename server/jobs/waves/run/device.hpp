#pragma once

#include "engine/waves/report/scan.hpp"

#include <cstdint>

namespace plimsoll::opencl {
class Device;
class Ledger;
}  // namespace plimsoll::opencl

namespace plimsoll::jobs::waves {

// The search on the worker's device, or why there is none. Made at a device's first task and kept:
// kernels are built and tried once. For the one thread that uses the device and the ledger of its
// memory.
::plimsoll::waves::DeviceAtHand device_at_hand(opencl::Device* device, opencl::Ledger* ledger);

// Forgets that search with its kernels and buffers, and answers the bytes of the latter.
std::uint64_t release_device(opencl::Device* device);

}  // namespace plimsoll::jobs::waves
