#include "server/kinds/waves/run/device.hpp"

#include "engine/waves_device/opencl_search.hpp"

#include <memory>

namespace plimsoll::jobs::waves {
namespace engine = ::plimsoll::waves;

namespace {

struct Opened {
    opencl::Device* device = nullptr;
    Result<std::unique_ptr<engine::OpenclSearch>> search;
};
thread_local Opened opened;

}  // namespace

engine::DeviceAtHand device_at_hand(opencl::Device* device, opencl::Ledger* ledger) {
    if (device == nullptr || ledger == nullptr)
        return {nullptr, "This worker has no OpenCL device."};
    if (opened.device != device)
        opened = {device, engine::OpenclSearch::open(*device, *ledger,
                                                     engine::flavour_of(device->info().type))};
    if (!opened.search)
        return {nullptr, to_string(device->info().address) +
                             " is not used: " + opened.search.error().message};
    return {opened.search->get(), ""};
}

std::uint64_t release_device(opencl::Device* /*device*/) {
    const auto held = opened.search && *opened.search ? (*opened.search)->held_bytes() : 0;
    opened = {};
    return held;
}

}  // namespace plimsoll::jobs::waves
