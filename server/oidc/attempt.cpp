#include "server/oidc/attempt.hpp"

#include "server/identity/secret.hpp"
#include "server/oidc/encoding.hpp"

#include <charconv>

#include <sodium.h>

namespace plimsoll::oidc {
namespace {

constexpr std::string_view kContext = "provider sign-in";
constexpr std::size_t kRandomBytes = 32;

std::string derived(std::string_view key, std::string_view what, std::string_view secret) {
    const auto text = std::string(kContext) + ' ' + std::string(what) + ' ' + std::string(secret);
    std::string digest(crypto_auth_hmacsha512256_BYTES, '\0');
    crypto_auth_hmacsha512256(reinterpret_cast<unsigned char*>(digest.data()),
                              reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                              reinterpret_cast<const unsigned char*>(key.data()));
    return to_base64url(digest);
}

// `secret`: "<seconds since 1970>.<random>".
Attempt attempt_of(std::string_view key, std::string_view secret, Timestamp expires_at) {
    return {identity::seal(key, kContext, secret), derived(key, "state", secret),
            derived(key, "nonce", secret), derived(key, "verifier", secret), expires_at};
}

}  // namespace

Attempt begin_attempt(std::string_view key, Timestamp now) {
    const auto expires_at = std::chrono::floor<std::chrono::seconds>(now) + kAttemptLife;
    std::string random(kRandomBytes, '\0');
    randombytes_buf(random.data(), random.size());
    return attempt_of(
        key, std::to_string(expires_at.time_since_epoch().count()) + '.' + to_base64url(random),
        expires_at);
}

std::optional<Attempt> continue_attempt(std::string_view key, std::string_view cookie,
                                        Timestamp now) {
    const auto secret = identity::unseal(key, kContext, cookie);
    if (!secret) return std::nullopt;
    std::int64_t seconds = 0;
    std::from_chars(secret->data(), secret->data() + secret->size(), seconds);
    const Timestamp expires_at{std::chrono::seconds(seconds)};
    if (expires_at <= now) return std::nullopt;
    return attempt_of(key, *secret, expires_at);
}

std::string challenge_of(std::string_view verifier) { return to_base64url(sha256(verifier)); }

}  // namespace plimsoll::oidc
