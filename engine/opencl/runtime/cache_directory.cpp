#include "engine/opencl/runtime/cache_directory.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

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
        return fail(Errc::unavailable, "Cannot create the kernel cache: " + error.message() + ".",
                    pocl.string());
    }
    setenv("POCL_CACHE_DIR", pocl.c_str(), 1);
    return {};
}

Result<std::filesystem::path> use_temporary_kernel_cache() {
    namespace fs = std::filesystem;
    std::error_code error;
    const auto temporary = fs::temp_directory_path(error);
    if (error) return fail(Errc::unavailable, "There is no folder for temporary files.");
    const auto directory = temporary / ("plimsoll-cache-" + std::to_string(geteuid()));
    mkdir(directory.c_str(), 0700);
    // Everybody may write there, so the name may be taken: by a link, or by another user.
    struct stat found;
    if (lstat(directory.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) ||
        found.st_uid != geteuid() || (found.st_mode & 0077) != 0) {
        return fail(Errc::unavailable, "The folder is not private to this user.",
                    directory.string());
    }
    TRY_DO(use_kernel_cache(directory));
    return directory;
}

}  // namespace plimsoll::opencl
