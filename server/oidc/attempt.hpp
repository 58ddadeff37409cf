#pragma once

#include "server/base/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::oidc {

// From the first page of the provider to the return to ours.
inline constexpr std::chrono::minutes kAttemptLife{10};

// One sign-in at the provider. The browser that began it has the cookie, from which the rest
// follows with the installation's key: nothing is stored, so that starting a sign-in costs nothing.
struct Attempt {
    std::string cookie;
    std::string state;  // comes back in the browser: must be this browser's
    std::string nonce;  // comes back in the ID token
    std::string
        verifier;  // of PKCE (RFC 7636): never leaves the server before the code is redeemed
    Timestamp expires_at;
};

// `key`: of identity::kSealKeyBytes.
Attempt begin_attempt(std::string_view key, Timestamp now);
// nullopt: the cookie is not ours, or the attempt has expired.
std::optional<Attempt> continue_attempt(std::string_view key, std::string_view cookie,
                                        Timestamp now);

// The code challenge of method S256.
std::string challenge_of(std::string_view verifier);

}  // namespace plimsoll::oidc
