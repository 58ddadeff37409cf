#include "server/postgres/cluster/log_tail.hpp"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll::postgres {

std::string log_tail(const std::filesystem::path& file) {
    constexpr off_t kMost = 1024;
    const int descriptor = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return {};
    struct stat about{};
    std::string text;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
        text.resize(static_cast<std::size_t>(std::min(about.st_size, kMost)));
        const auto from = about.st_size - static_cast<off_t>(text.size());
        const auto count = pread(descriptor, text.data(), text.size(), from);
        text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        // A line that begins before is left out.
        if (from > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
    }
    close(descriptor);
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace plimsoll::postgres
