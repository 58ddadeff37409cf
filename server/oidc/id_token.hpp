#pragma once

#include "engine/base/result.hpp"
#include "server/base/time.hpp"
#include "server/oidc/keys.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::oidc {

// How far a provider's clock may differ from ours.
inline constexpr std::chrono::seconds kClockSkew{60};

// A token in its compact form (RFC 7515, 7.1), whose signature nobody has verified yet.
struct SignedToken {
    Algorithm algorithm = Algorithm::rs256;
    std::string key_id;  // may be empty
    nlohmann::json claims;
    std::string_view message;  // what is signed, in the text of the token
    std::string signature;
};

// Errc::corrupt: malformed, or signed in a way that is not allowed.
Result<SignedToken> read_token(std::string_view token);

// Whether one of the keys may have signed it, by id and type; otherwise the keys may be old.
bool has_key(const std::vector<Key>& keys, const SignedToken& token);

struct Expectation {
    std::string issuer;
    std::string client_id;
    std::string nonce;
    std::string access_token;  // that came with it
    Timestamp now;
};

// The checks of OpenID Connect Core 3.1.3.7 and 3.1.3.8. Errc::corrupt says which one failed.
Result<void> check_id_token(const SignedToken& token, const std::vector<Key>& keys,
                            const Expectation& expected);

}  // namespace plimsoll::oidc
