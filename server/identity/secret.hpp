#pragma once

#include <optional>
#include <string>
#include <string_view>

// Secrets that people and programs carry: "plm_<kind>_<27 base-62 digits>_<crc32 in 6 digits>". 160
// random bits, so a plain SHA-256 in the database is enough (160 bits cannot be guessed, no slow
// hash is needed). The checksum rejects a truncated or mistyped secret without a database query.

// Signs text that is sent out and comes back, such as cursors: it can be read, but neither changed
// nor forged. HMAC-SHA-512/256, truncated to 128 bits.

namespace plimsoll::identity {

enum class SecretKind { token, sign_in, session, report_link, password_link, invitation };

struct Secret {
    std::string text;  // shown once
    std::string hash;  // SHA-256, 32 bytes: what is stored
};

Secret make_secret(SecretKind kind);

// The hash of a well-formed secret of this kind; nullopt otherwise.
std::optional<std::string> hash_secret(SecretKind kind, std::string_view text);

// A random, unstructured, URL-safe value of 128 bits, used for CSRF tokens.
std::string make_nonce();

inline constexpr std::size_t kSealKeyBytes = 32;

// URL-safe. `context`: where the text may be used.
std::string seal(std::string_view key, std::string_view context, std::string_view text);

// The text that was sealed with this key for this context; nullopt for anything else.
std::optional<std::string> unseal(std::string_view key, std::string_view context,
                                  std::string_view sealed);

}  // namespace plimsoll::identity
