#include "server/postgres/cluster/data_lock.hpp"

#include "server/postgres/cluster/embedded_layout.hpp"

#include <fstream>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace plimsoll::postgres {
namespace {

std::filesystem::path lock_file(const std::filesystem::path& base) { return base / "serve.lock"; }

// A lock on the whole file that belongs to the descriptor, not to the process, and that others can
// query without taking it: an administration command must not block a server's start.
struct flock whole_file(short type) {
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

}  // namespace

Result<DataLock> DataLock::take(const std::filesystem::path& base) {
    const auto path = lock_file(base);
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) return fail(problem(path.string() + " cannot be written."));
    auto lock = whole_file(F_WRLCK);
    if (fcntl(descriptor, F_OFD_SETLK, &lock) != 0) {
        close(descriptor);
        const auto address = served_address(base);
        return fail(problem("Another plimsoll is using the data folder " + base.string() +
                            (address ? " (" + *address + ")" : "") +
                            ": stop it, or choose another folder (--data)."));
    }
    // The folder, too: the file may have been removed under a running server.
    const int folder = open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || flock(folder, LOCK_EX | LOCK_NB) != 0) {
        close(descriptor);
        if (folder >= 0) close(folder);
        return fail(problem("Another plimsoll is using the data folder " + base.string() + "."));
    }
    return DataLock(descriptor, folder);
}

DataLock::DataLock(DataLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      folder_(std::exchange(other.folder_, -1)) {}

DataLock::~DataLock() {
    if (descriptor_ >= 0) close(descriptor_);
    if (folder_ >= 0) close(folder_);
}

void DataLock::set_address(const std::string& address) const {
    const auto line = address + "\n";
    // It is a convenience: a full disk must not stop the server.
    if (ftruncate(descriptor_, 0) == 0) (void)!pwrite(descriptor_, line.data(), line.size(), 0);
}

std::optional<std::string> served_address(const std::filesystem::path& base) {
    const auto path = lock_file(base);
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) return std::nullopt;
    auto lock = whole_file(F_RDLCK);
    const bool is_used = fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(descriptor);
    std::string address;
    if (!is_used || !std::getline(std::ifstream(path), address) || address.empty())
        return std::nullopt;
    return address;
}

}  // namespace plimsoll::postgres
