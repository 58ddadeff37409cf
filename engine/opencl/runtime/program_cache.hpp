#pragma once

#include "engine/opencl/runtime/device.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
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

}  // namespace plimsoll::opencl
