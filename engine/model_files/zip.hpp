#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace plimsoll::model_files {

// The entries of a zip archive in memory, by name. As PyTorch writes them: stored, not compressed.
// ZIP64 is supported. Errc::corrupt names the entry and the rule: compressed, encrypted, duplicate,
// an absolute path or one with "..", outside the file.
Result<std::map<std::string, std::span<const std::byte>, std::less<>>> read_zip(
    std::span<const std::byte> archive);

// Whether a file begins like an archive.
bool is_zip(std::span<const std::byte> bytes);

}  // namespace plimsoll::model_files
