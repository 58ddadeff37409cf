#include "engine/opencl/runtime/programs.hpp"

#include "engine/base/replace_file.hpp"
#include "engine/base/sha256.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

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
        if (std::memcmp(digest.data(), text.data() + kMagic.size(), kDigestBytes) == 0)
            return binary;
    }
    remove(key);
    return std::nullopt;
}

Result<void> ProgramCache::store(const std::string& key, const ProgramBinary& binary) const {
    std::error_code error;
    fs::create_directories(directory_, error);
    const auto digest = digest_of(binary.bytes);
    std::string text(kMagic);
    text.append(reinterpret_cast<const char*>(digest.data()), digest.size());
    text.append(reinterpret_cast<const char*>(binary.bytes.data()), binary.bytes.size());
    if (auto stored = replace_file(file_of(key), text, 0600); !stored) {
        return fail(Errc::unavailable, "A built program is not cached: " + stored.error().message,
                    directory_.string());
    }
    return {};
}

void ProgramCache::remove(const std::string& key) const {
    std::error_code ignored;
    fs::remove(file_of(key), ignored);
}

std::string Programs::key_of(const std::string& name, const std::string& options,
                             std::string_view source) const {
    const auto& info = device_.info();
    return ProgramCache::key_of({source, name, options, info.platform, info.platform_version,
                                 info.name, info.driver_version, info.device_version,
                                 PLIMSOLL_VERSION});
}

// PoCL keeps what it compiles (use_kernel_cache), and compiles every kernel once more for a
// binary, which then only spares it reading the source.
Programs::Programs(const Device& device, ProgramCache cache)
    : Programs(device, std::move(cache), device.info().address.platform != "pocl") {}

Result<Kernel> Programs::make(const std::string& name, const std::string& options,
                              const std::string& source) {
    const auto key = key_of(name, options, source);
    if (const auto binary = keeps_ ? cache_.load(key) : std::nullopt) {
        auto kernel = device_.load(*binary, name);
        if (kernel) {
            ++loaded_;
            return kernel;
        }
        cache_.remove(key);  // undamaged, but rejected by this driver
    }
    auto kernel = device_.build(source, name, options);
    if (!kernel) return kernel;
    ++built_;
    if (!keeps_) return kernel;
    // An unwritable cache costs the next start a compilation, but this one nothing.
    if (const auto binary = device_.binary_of(*kernel); binary && !binary->bytes.empty())
        (void)cache_.store(key, *binary);
    return kernel;
}

Result<const Kernel*> Programs::get(const std::string& name, const std::string& options,
                                    const std::function<std::string()>& source) {
    auto known = kernels_.find({name, options});
    if (known == kernels_.end()) {
        TRY(auto kernel, make(name, options, source()));
        known =
            kernels_.emplace(std::pair(name, options), std::make_unique<Kernel>(std::move(kernel)))
                .first;
    }
    return known->second.get();
}

}  // namespace plimsoll::opencl
