#include "engine/model_files/mapped_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll::model_files {
namespace {

struct File {
    int descriptor = -1;
    std::size_t bytes = 0;
    File() = default;
    File(File&& other) noexcept
        : descriptor(std::exchange(other.descriptor, -1)), bytes(other.bytes) {}
    File& operator=(File&&) = delete;
    ~File() {
        if (descriptor >= 0) ::close(descriptor);
    }
};

Result<File> open_file(const std::filesystem::path& path) {
    const auto refuse = [&](Errc code, const std::string& why) {
        return fail(code, path.filename().string() + " cannot be read: " + why + ".",
                    path.string());
    };
    File file;
    // Non-blocking, so that a pipe is refused below instead of waited for.
    file.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file.descriptor < 0) {
        return refuse(errno == ENOENT ? Errc::not_found : Errc::unavailable,
                      errno == ENOENT ? "no such file" : std::strerror(errno));
    }
    struct stat status{};
    if (::fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return refuse(Errc::unavailable, "not a regular file");
    file.bytes = static_cast<std::size_t>(status.st_size);
    return file;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
    TRY(const auto file, open_file(path));
    if (file.bytes == 0) return MappedFile({});
    void* memory = ::mmap(nullptr, file.bytes, PROT_READ, MAP_PRIVATE, file.descriptor, 0);
    if (memory == MAP_FAILED) {
        return fail(Errc::exhausted,
                    path.filename().string() + " cannot be mapped: " + std::strerror(errno) + ".",
                    path.string());
    }
    return MappedFile({static_cast<const std::byte*>(memory), file.bytes});
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Result<std::string> read_text(const std::filesystem::path& path, std::size_t max) {
    TRY(const auto file, open_file(path));
    if (file.bytes > max) {
        return fail(Errc::too_large,
                    path.filename().string() + " has " + std::to_string(file.bytes) +
                        " bytes; at most " + std::to_string(max) + " are allowed.",
                    path.string());
    }
    std::string text(file.bytes, '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const auto got = ::read(file.descriptor, text.data() + done, text.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
}

}  // namespace plimsoll::model_files
