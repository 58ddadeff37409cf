#include "engine/models/digest.hpp"

#include "engine/base/sha256.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/chrono.h>

namespace plimsoll::models {
namespace {

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

tl::unexpected<Error> trouble(const std::filesystem::path& file, const char* verb) {
    const bool is_full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    return fail(is_full ? Errc::exhausted : Errc::unavailable,
                file.filename().string() + " cannot be " + verb + ": " + std::strerror(errno) + ".",
                file.string());
}

}  // namespace

std::string now_text() {
    const auto now = std::chrono::system_clock::now();
    return fmt::format("{:%FT%TZ}", std::chrono::floor<std::chrono::seconds>(now));
}

std::string sha256_of(std::string_view text) {
    Sha256 sha;
    sha.add(text.data(), text.size());
    return hexadecimal(sha.digest());
}

Result<std::string> sha256_of_file(const std::filesystem::path& file,
                                   const std::filesystem::path& copy, const Watch& watch) {
    const File from(std::fopen(file.c_str(), "rbe"));
    if (from == nullptr) return trouble(file, "read");
    // Created, never opened: nothing that already exists there is followed or overwritten.
    File to(copy.empty() ? nullptr : std::fopen(copy.c_str(), "wbxe"));
    if (!copy.empty() && to == nullptr) return trouble(copy, "written");
    Sha256 sha;
    std::vector<char> buffer(std::size_t{1} << 20);
    while (const auto got = std::fread(buffer.data(), 1, buffer.size(), from.get())) {
        if (watch.stopped()) return fail(Errc::cancelled, "The operation was cancelled.");
        sha.add(buffer.data(), got);
        if (to != nullptr && std::fwrite(buffer.data(), 1, got, to.get()) != got)
            return trouble(copy, "written");
        if (watch.progress != nullptr) watch.progress->advance(static_cast<std::int64_t>(got));
    }
    if (std::ferror(from.get()) != 0) return trouble(file, "read");
    if (to != nullptr && std::fclose(to.release()) != 0) return trouble(copy, "written");
    return hexadecimal(sha.digest());
}

}  // namespace plimsoll::models
