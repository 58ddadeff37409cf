#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace plimsoll::identity {

// A file of breached passwords: a line per SHA-1 in hexadecimal, sorted, each optionally
// followed by a colon and a count, which is what the downloader of Have I Been Pwned writes. The
// file is searched where it is, in a few dozen reads, whatever its size.
class BreachedPasswords {
  public:
    // Errc::invalid_input: it cannot be read, or does not begin like such a file.
    static Result<BreachedPasswords> open(const std::filesystem::path& file);

    // Errc::unavailable: the file cannot be read any more. Errc::corrupt: it has a different line
    // where this one would be.
    Result<bool> contains(std::string_view password) const;

  private:
    struct File;
    explicit BreachedPasswords(std::shared_ptr<const File> file) : file_(std::move(file)) {}

    std::shared_ptr<const File> file_;
};

}  // namespace plimsoll::identity
