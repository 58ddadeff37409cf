#include "engine/opencl/runtime/program_cache.hpp"

#include "engine/base/sha256.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace plimsoll::opencl {

namespace {

namespace fs = std::filesystem;

// The number is the format's version.
constexpr std::string_view kMagic = "plimsoll-program-1\n";
using Digest = Sha256::Digest;
constexpr std::size_t kDigestBytes = sizeof(Digest);

Digest digest_of(std::span<const std::byte> bytes) {
    Sha256 sha;
    sha.add(bytes.data(), bytes.size());
    return sha.digest();
}

bool write_all(int file, const void* bytes, std::size_t count) {
    const auto* at = static_cast<const char*>(bytes);
    while (count > 0) {
        const auto written = ::write(file, at, count);
        if (written <= 0) return false;
        at += written;
        count -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace

std::string ProgramCache::key_of(const std::vector<std::string_view>& parts) {
    Sha256 sha;
    for (const auto part : parts) {
        const std::uint64_t length = part.size();
        sha.add(&length, sizeof length);  // so that {"ab", "c"} and {"a", "bc"} differ
        sha.add(part.data(), part.size());
    }
    return hexadecimal(sha.digest());
}

fs::path ProgramCache::file_of(const std::string& key) const {
    return directory_ / (key + ".program");
}

std::optional<ProgramBinary> ProgramCache::load(const std::string& key) const {
    std::ifstream in(file_of(key), std::ios::binary);
    if (!in) return std::nullopt;
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    constexpr std::size_t kHead = kMagic.size() + kDigestBytes;
    if (text.size() > kHead && text.starts_with(kMagic)) {
        ProgramBinary binary{std::vector<std::byte>(text.size() - kHead)};
        std::memcpy(binary.bytes.data(), text.data() + kHead, binary.bytes.size());
        const auto digest = digest_of(binary.bytes);
        if (std::memcmp(digest.data(), text.data() + kMagic.size(), kDigestBytes) == 0) {
            return binary;
        }
    }
    remove(key);
    return std::nullopt;
}

Result<void> ProgramCache::store(const std::string& key, const ProgramBinary& binary) const {
    const auto bad = [&](const std::string& reason) {
        return fail(Errc::unavailable, "Cannot cache a built program: " + reason + ".",
                    directory_.string());
    };
    std::error_code error;
    fs::create_directories(directory_, error);
    if (error) return bad(error.message());
    auto temporary = (directory_ / "XXXXXX").string();
    const int file = mkostemp(temporary.data(), O_CLOEXEC);
    if (file < 0) return bad(std::strerror(errno));
    const auto digest = digest_of(binary.bytes);
    const bool written = write_all(file, kMagic.data(), kMagic.size()) &&
                         write_all(file, digest.data(), digest.size()) &&
                         write_all(file, binary.bytes.data(), binary.bytes.size());
    const bool closed = ::close(file) == 0;
    if (written && closed) fs::rename(temporary, file_of(key), error);
    if (!written || !closed || error) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        return bad(error ? error.message() : "writing to disk failed");
    }
    return {};
}

void ProgramCache::remove(const std::string& key) const {
    std::error_code ignored;
    fs::remove(file_of(key), ignored);
}

}  // namespace plimsoll::opencl
