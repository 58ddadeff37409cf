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
// catches what a full disk, a crash or a stranger did to it.
class ProgramCache {
  public:
    // `directory` is made when something is first stored.
    explicit ProgramCache(std::filesystem::path directory) : directory_(std::move(directory)) {}

    // SHA-256 over the parts and their lengths, in hexadecimal.
    static std::string key_of(const std::vector<std::string_view>& parts);

    // What was stored under `key`; nothing when there is none. A damaged file is removed.
    std::optional<ProgramBinary> load(const std::string& key) const;

    // Errc::unavailable when the folder cannot be written: the next start builds again.
    Result<void> store(const std::string& key, const ProgramBinary& binary) const;

    void remove(const std::string& key) const;

    std::filesystem::path file_of(const std::string& key) const;

  private:
    std::filesystem::path directory_;
};

}  // namespace plimsoll::opencl
