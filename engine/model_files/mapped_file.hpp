#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

namespace plimsoll::model_files {

// A regular file's bytes in memory, read on demand. Truncating a mapped file kills the process with
// SIGBUS: only workers read tensors.
class MappedFile {
  public:
    // Errc::not_found, or Errc::unavailable if it is not a regular file or cannot be read.
    static Result<MappedFile> open(const std::filesystem::path& path);

    MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    MappedFile& operator=(MappedFile&&) = delete;
    ~MappedFile();

    std::span<const std::byte> bytes() const { return bytes_; }

  private:
    explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
    std::span<const std::byte> bytes_;
};

// The whole of a small text file. Errc::not_found; Errc::too_large beyond `max` bytes.
Result<std::string> read_text(const std::filesystem::path& path, std::size_t max);

}  // namespace plimsoll::model_files
