#pragma once

#include "engine/opencl/runtime/device.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::opencl {

// Built programs on disk, one file each, for any number of processes at once. A file is written
// under a name of its own and renamed into place, so readers see all of it or none; a checksum
// detects damage by a full disk, a crash or another program.
class ProgramCache {
  public:
    // `directory` is created at the first store.
    explicit ProgramCache(std::filesystem::path directory) : directory_(std::move(directory)) {}

    // SHA-256 over the parts and their lengths, in hexadecimal.
    static std::string key_of(const std::vector<std::string_view>& parts);

    // The entry stored under `key`, or nothing. A damaged file is removed.
    std::optional<ProgramBinary> load(const std::string& key) const;

    // Errc::unavailable when the folder is not writable: the next start compiles again.
    Result<void> store(const std::string& key, const ProgramBinary& binary) const;

    void remove(const std::string& key) const;

    std::filesystem::path file_of(const std::string& key) const;

  private:
    std::filesystem::path directory_;
};

// The kernels of one device. Each is created once per process: from the disk cache when any process
// built it for the same device, driver and version, otherwise by compiling. Used by the device
// thread; lives no longer than the Device.
class Programs {
  public:
    // Keeps programs on disk unless the driver does.
    Programs(const Device& device, ProgramCache cache);
    Programs(const Device& device, ProgramCache cache, bool keeps)
        : device_(device), cache_(std::move(cache)), keeps_(keeps) {}

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
    const bool keeps_;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<Kernel>> kernels_;
    std::uint64_t built_ = 0;
    std::uint64_t loaded_ = 0;
};

}  // namespace plimsoll::opencl
