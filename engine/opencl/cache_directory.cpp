#include "engine/opencl/cache_directory.hpp"

#include <cstdlib>
#include <system_error>

namespace plimsoll::opencl {

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
