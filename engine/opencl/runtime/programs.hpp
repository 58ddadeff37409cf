#pragma once

#include "engine/opencl/runtime/device.hpp"
#include "engine/opencl/runtime/program_cache.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace plimsoll::opencl {

// The kernels of one device. Each is created once per process: from the disk cache when any process
// built it for the same device, driver and version, otherwise by compiling. Used by the device
// thread; lives no longer than the Device.
class Programs {
  public:
    Programs(const Device& device, ProgramCache cache)
        : device_(device), cache_(std::move(cache)) {}

    // The kernel `name` of the program `source`, which is called only when this process has no
    // kernel of this name and these options, so that a launch costs no hashing. Tuned parameters
    // are passed as options. The kernel lives as long as this object.
    Result<const Kernel*> get(const std::string& name, const std::string& options,
                              const std::function<std::string()>& source);

    const Device& device() const { return device_; }

    std::uint64_t built() const { return built_; }
    std::uint64_t loaded() const { return loaded_; }

  private:
    std::string key_of(const std::string& name, const std::string& options,
                       std::string_view source) const;
    Result<Kernel> make(const std::string& name, const std::string& options,
                        const std::string& source);

    const Device& device_;
    ProgramCache cache_;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<Kernel>> kernels_;
    std::uint64_t built_ = 0;
    std::uint64_t loaded_ = 0;
};

}  // namespace plimsoll::opencl
