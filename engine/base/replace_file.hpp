#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <string_view>

#include <sys/types.h>

namespace plimsoll {

// Writes a file whole or not at all: readers see the old text or the new one, never through an
// existing link. `to_disk`: also after a power failure. Errc::unavailable, with the reason.
Result<void> replace_file(const std::filesystem::path& file, std::string_view text,
                          mode_t mode = 0644, bool to_disk = false);

}  // namespace plimsoll
