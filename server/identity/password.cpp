#include "server/identity/password.hpp"

#include <cstdlib>
#include <memory>
#include <stdexcept>

#include <sodium.h>
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
    const auto known = rules.breached->contains(normalized);
    if (!known) return fail(known.error());
    if (*known) {
        return fail(Errc::invalid_input, "is in a list of breached passwords: choose another one");
    }
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

}  // namespace plimsoll::identity
