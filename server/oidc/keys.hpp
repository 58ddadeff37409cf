#pragma once

#include "engine/base/result.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
inline constexpr std::size_t kMostKeys = 32;
inline constexpr int kLeastRsaBits = 2048;

// The keys of a JWK set (RFC 7517) that verify RS256 or ES256; others are ignored, as are RSA keys
// that are too short. Errc::corrupt: it is not a JWK set, or has no such key.
Result<std::vector<Key>> parse_keys(std::string_view text);

// `signature`: as in a JWS (RFC 7518, 3.3 and 3.4).
bool verifies(const Key& key, std::string_view message, std::string_view signature);

}  // namespace plimsoll::oidc
