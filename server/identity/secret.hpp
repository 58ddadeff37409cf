#pragma once

#include <optional>
#include <string>
#include <string_view>

// Secrets that people and programs carry: "plm_<kind>_<27 base-62 digits>_<crc32 in 6 digits>". 160
// random bits, so a plain SHA-256 in the database is enough (160 bits cannot be guessed, no slow
// hash is needed). The checksum rejects a truncated or mistyped secret without a database query.
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

}  // namespace plimsoll::identity
