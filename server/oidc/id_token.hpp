#pragma once

#include "engine/base/result.hpp"
#include "server/base/time.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <openssl/types.h>

namespace plimsoll::oidc {

// The algorithm of a signature. Others are refused, above all "none", and HS256, whose key
// everybody would know.
enum class Algorithm { rs256, es256 };

// A public key of a provider. Its type decides the algorithm that it verifies.
struct Key {
    std::string id;  // "kid"; may be empty
    Algorithm algorithm = Algorithm::rs256;
    std::shared_ptr<EVP_PKEY> key;
};

// A provider has a few: the current and the previous ones.
inline constexpr std::size_t kMaxKeys = 32;
inline constexpr int kMinRsaBits = 2048;

// The keys of a JWK set (RFC 7517) that verify RS256 or ES256; others are ignored, as are RSA keys
// that are too short. Errc::corrupt: it is not a JWK set, or has no such key.
Result<std::vector<Key>> parse_keys(std::string_view text);

// `signature`: as in a JWS (RFC 7518, 3.3 and 3.4).
bool verifies(const Key& key, std::string_view message, std::string_view signature);

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
