#pragma once

#include "engine/base/result.hpp"

#include <filesystem>

namespace plimsoll::opencl {

// Default folder for compiled kernels: "plimsoll" in $XDG_CACHE_HOME, in ~/.cache, or in /var/cache
// for a user without a home.
std::filesystem::path default_kernel_cache();

// Creates `directory` (mode 0700) and makes PoCL cache its compiled kernels there instead of in the
// home folder, where another program's clean-up would slow down our start. Call it before threads
// exist: it sets an environment variable, which children inherit.
Result<void> use_kernel_cache(const std::filesystem::path& directory);

// The same with a folder of this user's own among the temporary files, if the chosen one cannot be
// created (a read-only file system). Returns the folder.
Result<std::filesystem::path> use_temporary_kernel_cache();

}  // namespace plimsoll::opencl
