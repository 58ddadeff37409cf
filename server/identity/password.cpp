#include "server/identity/password.hpp"

#include "server/base/hex.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utf8proc.h>

namespace plimsoll::identity {
namespace {

// OWASP's minimum recommendation: two passes over 19 MiB. More memory would slow down requests that
// are answered meanwhile, since it displaces their data from the processor's caches.
constexpr unsigned long long kPasses = 2;
constexpr std::size_t kMemory = 19 * 1024 * 1024;

// That many random bytes as base64 without padding, as Argon2's hashes have their parts.
std::string random_text(std::size_t size) {
    if (sodium_init() < 0) throw std::runtime_error("cannot start libsodium");
    constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL_NO_PADDING;
    std::string bytes(size, '\0');
    randombytes_buf(bytes.data(), bytes.size());
    std::string text(sodium_base64_encoded_len(size, kVariant), '\0');
    sodium_bin2base64(text.data(), text.size(),
                      reinterpret_cast<const unsigned char*>(bytes.data()), size, kVariant);
    text.pop_back();  // the terminator that libsodium counts in
    return text;
}

std::size_t characters(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    return count;
}

constexpr std::size_t kHashDigits = 40;
constexpr std::size_t kLongestLine = 64;  // with its count and the end of line

std::string sha1_digits(std::string_view text) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    EVP_Digest(text.data(), text.size(), digest, &length, EVP_sha1(), nullptr);
    auto digits = hex({reinterpret_cast<const char*>(digest), length});
    std::ranges::transform(digits, digits.begin(), [](unsigned char c) { return std::toupper(c); });
    return digits;
}

}  // namespace

Result<std::string> normalize_password(std::string_view text) {
    utf8proc_uint8_t* mapped = nullptr;
    const auto length = utf8proc_map(
        reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
        static_cast<utf8proc_ssize_t>(text.size()), &mapped,
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(mapped, &std::free);
    if (length < 0) return fail(Errc::invalid_input, "must be valid UTF-8");
    std::string normalized(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
    if (characters(normalized) > kLongestPassword) {
        return fail(Errc::invalid_input,
                    "must have at most " + std::to_string(kLongestPassword) + " characters");
    }
    return normalized;
}

Result<void> check_password(const PasswordRules& rules, std::string_view normalized) {
    if (characters(normalized) < rules.min_length) {
        return fail(Errc::invalid_input,
                    "must have at least " + std::to_string(rules.min_length) + " characters");
    }
    if (!rules.breached) return {};
    TRY(const auto known, rules.breached->contains(normalized));
    if (known)
        return fail(Errc::invalid_input, "is in a list of breached passwords: choose another one");
    return {};
}

std::string hash_password(std::string_view normalized) {
    char hash[crypto_pwhash_STRBYTES];
    if (sodium_init() < 0 ||
        crypto_pwhash_str_alg(hash, normalized.data(), normalized.size(), kPasses, kMemory,
                              crypto_pwhash_ALG_ARGON2ID13) != 0) {
        throw std::runtime_error("not enough memory to hash a password");
    }
    return hash;
}

bool matches_password(const std::string& hash, std::string_view normalized) {
    return crypto_pwhash_str_verify(hash.c_str(), normalized.data(), normalized.size()) == 0;
}

bool is_outdated(const std::string& hash) {
    return crypto_pwhash_str_needs_rehash(hash.c_str(), kPasses, kMemory) != 0;
}

std::string unmatched_hash() {
    return "$argon2id$v=19$m=" + std::to_string(kMemory / 1024) + ",t=" + std::to_string(kPasses) +
           ",p=1$" + random_text(16) + "$" + random_text(32);
}

struct BreachedPasswords::File {
    explicit File(int opened) : descriptor(opened) {}
    ~File() { close(descriptor); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    // The text at `offset`, at most two lines long.
    Result<std::string> read(std::size_t offset) const {
        std::string text(2 * kLongestLine, '\0');
        const auto count = pread(descriptor, text.data(), text.size(), static_cast<off_t>(offset));
        if (count < 0)
            return fail(Errc::unavailable, "The list of breached passwords cannot be read.");
        text.resize(static_cast<std::size_t>(count));
        return text;
    }

    // The digits at the beginning of a line, in upper case.
    static std::optional<std::string> digits_of(std::string_view line) {
        if (line.size() < kHashDigits) return std::nullopt;
        if (line.size() > kHashDigits && line[kHashDigits] != ':' && line[kHashDigits] != '\r' &&
            line[kHashDigits] != '\n') {
            return std::nullopt;
        }
        std::string digits(line.substr(0, kHashDigits));
        for (auto& c : digits) {
            if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
        return digits;
    }

    const int descriptor;
};

Result<BreachedPasswords> BreachedPasswords::open(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return fail(Errc::invalid_input, "cannot be read: " + path.string());
    auto file = std::make_shared<File>(descriptor);
    const auto start = file->read(0);
    if (!start || !File::digits_of(*start)) {
        return fail(Errc::invalid_input,
                    "must begin with a SHA-1 of 40 hexadecimal digits: " + path.string());
    }
    return BreachedPasswords(std::move(file));
}

// Binary search by position: the line that begins after the middle decides which half contains the
// searched one. `low` is always the beginning of a line.
Result<bool> BreachedPasswords::contains(std::string_view password) const {
    const auto wanted = sha1_digits(password);
    struct stat status{};
    if (fstat(file_->descriptor, &status) != 0)
        return fail(Errc::unavailable, "The list of breached passwords cannot be read.");
    std::size_t low = 0;
    auto high = static_cast<std::size_t>(status.st_size);
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        auto line_at = low;
        TRY(auto text, file_->read(middle > low ? middle - 1 : low));
        if (middle > low) {
            const auto end = text.find('\n');
            if (end == std::string::npos || middle + end >= high) {  // no line begins there
                high = middle;
                continue;
            }
            line_at = middle + end;
            text.erase(0, end + 1);
        }
        const auto digits = File::digits_of(text);
        if (!digits)
            return fail(Errc::corrupt, "The list of breached passwords has an invalid line.");
        if (*digits == wanted) return true;
        if (*digits > wanted) {
            high = middle;
        } else {
            const auto end = text.find('\n');
            if (end == std::string::npos) return false;
            low = line_at + end + 1;
        }
    }
    return false;
}

}  // namespace plimsoll::identity
