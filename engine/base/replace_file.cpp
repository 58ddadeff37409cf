#include "engine/base/replace_file.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll {
namespace {

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const auto size = ::write(file, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
}

}  // namespace

Result<void> replace_file(const std::filesystem::path& file, std::string_view text, mode_t mode,
                          bool to_disk) {
    auto fresh = file.string() + ".XXXXXX";
    const int out = mkostemp(fresh.data(), O_CLOEXEC);
    bool written = out >= 0 && write_all(out, text) && ::fchmod(out, mode) == 0 &&
                   (!to_disk || ::fsync(out) == 0);
    int error = errno;
    if (out >= 0 && ::close(out) != 0 && written) {
        written = false;
        error = errno;
    }
    if (written && ::rename(fresh.c_str(), file.c_str()) == 0) return {};
    if (written) error = errno;
    if (out >= 0) ::unlink(fresh.c_str());
    return fail(Errc::unavailable,
                "The file cannot be written: " + std::string(std::strerror(error)) + ".",
                file.string());
}

}  // namespace plimsoll
