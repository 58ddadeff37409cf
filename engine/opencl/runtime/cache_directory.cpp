#include "engine/opencl/runtime/cache_directory.hpp"

#include <cstdlib>
#include <system_error>

namespace plimsoll::opencl {

std::filesystem::path default_kernel_cache() {
    const auto from = [](const char* variable) -> std::filesystem::path {
        const char* value = std::getenv(variable);
        return value == nullptr ? "" : value;
    };
    if (const auto cache = from("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "plimsoll";
    if (const auto home = from("HOME"); home.is_absolute()) return home / ".cache/plimsoll";
    return "/var/cache/plimsoll";
}

Result<void> use_kernel_cache(const std::filesystem::path& directory) {
    namespace fs = std::filesystem;
    const auto pocl = directory / "pocl";
    std::error_code error;
    fs::create_directories(pocl, error);
    if (!error) fs::permissions(pocl, fs::perms::owner_all, error);
    if (error) {
        return fail(Errc::unavailable, "The kernel cache cannot be made: " + error.message() + ".",
                    pocl.string());
    }
    setenv("POCL_CACHE_DIR", pocl.c_str(), 1);
    return {};
}

}  // namespace plimsoll::opencl
