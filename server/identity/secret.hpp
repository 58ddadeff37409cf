#pragma once

#include <optional>
#include <string>
#include <string_view>

// Secrets that people and programs carry: "plm_<kind>_<27 base-62 digits>_<crc32 in 6 digits>".
// 160 random bits, so the database keeps a plain SHA-256 (nothing to guess, no slow hash needed);
// the checksum refuses a truncated or mistyped secret without asking the database.
namespace plimsoll::identity {

enum class SecretKind { token, sign_in, session };

struct Secret {
    std::string text;  // shown once
    std::string hash;  // SHA-256, 32 bytes: what is stored
};

Secret make_secret(SecretKind kind);

// The hash of a well-formed secret of this kind; nothing otherwise.
std::optional<std::string> hash_secret(SecretKind kind, std::string_view text);

// A random value without a form of its own, URL-safe, 128 bits (CSRF tokens).
std::string make_nonce();

}  // namespace plimsoll::identity
