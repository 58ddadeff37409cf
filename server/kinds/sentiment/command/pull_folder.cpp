#include "server/kinds/sentiment/command/pull_folder.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace plimsoll::jobs::sentiment {

PullFolder::PullFolder(std::filesystem::path path, int held)
    : path_(std::move(path)), held_(held) {}

PullFolder::PullFolder(PullFolder&& other) noexcept
    : path_(std::move(other.path_)), held_(std::exchange(other.held_, -1)) {}

PullFolder::~PullFolder() {
    if (held_ >= 0) close(held_);
}

Result<PullFolder> PullFolder::take(std::filesystem::path path) {
    const auto failed = [&](int error) {
        return fail(Errc::unavailable,
                    "The folder cannot be used: " + std::generic_category().message(error) + ".",
                    path.string());
    };
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return failed(error.value());
    const int held = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (held < 0) return failed(errno);
    if (flock(held, LOCK_EX | LOCK_NB) != 0) {
        const int reason = errno;
        close(held);
        if (reason != EWOULDBLOCK) return failed(reason);
        return fail(Errc::conflict,
                    "Another pull on this machine is downloading these files: wait for it to end.");
    }
    return PullFolder(std::move(path), held);
}

void PullFolder::remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace plimsoll::jobs::sentiment
