#pragma once

#include "engine/waves/report/scan.hpp"

#include <cstdint>

namespace plimsoll::opencl {
class Device;
class Ledger;
}  // namespace plimsoll::opencl

namespace plimsoll::jobs::waves {

// The search on the worker's device, or why there is none. Created at a device's first task and
// kept: kernels are built and tested once. For the one thread that uses the device and its memory
// ledger.
::plimsoll::waves::DeviceAtHand device_at_hand(opencl::Device* device, opencl::Ledger* ledger);

// Releases that search with its kernels and buffers, and returns the bytes of the latter.
std::uint64_t release_device(opencl::Device* device);

}  // namespace plimsoll::jobs::waves
