#pragma once

#include "engine/base/result.hpp"
#include "engine/base/watch.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace plimsoll::models {

// The current time, RFC 3339 in UTC, to the second.
std::string now_text();

// SHA-256 in hexadecimal.
std::string sha256_of(std::string_view text);

// The hash of a file, which is also copied to `copy` unless that is empty. Progress counts
// bytes. Errc::cancelled; Errc::unavailable if something cannot be read or written, with the
// reason, or Errc::exhausted if the disk is full.
Result<std::string> sha256_of_file(const std::filesystem::path& file,
                                   const std::filesystem::path& copy, const Watch& watch);

}  // namespace plimsoll::models
