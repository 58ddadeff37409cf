#include "server/oidc/id_token.hpp"

#include "engine/base/json.hpp"
#include "server/oidc/encoding.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

namespace plimsoll::oidc {
namespace {

constexpr std::size_t kCoordinate = 32;  // bytes, on P-256

template <auto free>
struct Freeing {
    template <class T>
    void operator()(T* pointer) const {
        free(pointer);
    }
};
using Number = std::unique_ptr<BIGNUM, Freeing<BN_free>>;
using Parameters = std::unique_ptr<OSSL_PARAM, Freeing<OSSL_PARAM_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, Freeing<OSSL_PARAM_BLD_free>>;
using Context = std::unique_ptr<EVP_PKEY_CTX, Freeing<EVP_PKEY_CTX_free>>;
using Digest = std::unique_ptr<EVP_MD_CTX, Freeing<EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Freeing<ECDSA_SIG_free>>;

const unsigned char* octets_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

Number number_of(std::string_view bytes) {
    return Number(BN_bin2bn(octets_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

std::optional<std::string> bytes_of(const json& key, const char* name) {
    auto bytes = from_base64url(text_in(key, name));
    if (bytes && bytes->empty()) return std::nullopt;
    return bytes;
}

std::shared_ptr<EVP_PKEY> built(const char* type, OSSL_PARAM_BLD* builder) {
    const Parameters parameters(OSSL_PARAM_BLD_to_param(builder));
    const Context context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
    EVP_PKEY* key = nullptr;
    if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
        EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) {
        return nullptr;
    }
    return {key, EVP_PKEY_free};
}

std::shared_ptr<EVP_PKEY> rsa_key(const json& key) {
    const auto modulus = bytes_of(key, "n");
    const auto exponent = bytes_of(key, "e");
    if (!modulus || !exponent || exponent->size() > 8) return nullptr;
    const auto n = number_of(*modulus);
    const auto e = number_of(*exponent);
    const Builder builder(OSSL_PARAM_BLD_new());
    if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
        OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
        return nullptr;
    }
    auto made = built("RSA", builder.get());
    constexpr int kMaxRsaBits = 8192;  // longer ones are slow to verify, and nobody uses them
    const int bits = made ? EVP_PKEY_get_bits(made.get()) : 0;
    return bits >= kMinRsaBits && bits <= kMaxRsaBits ? made : nullptr;
}

std::shared_ptr<EVP_PKEY> ec_key(const json& key) {
    const auto x = bytes_of(key, "x");
    const auto y = bytes_of(key, "y");
    if (text_in(key, "crv") != "P-256" || !x || !y || x->size() != kCoordinate ||
        y->size() != kCoordinate) {
        return nullptr;
    }
    const auto point = "\x04" + *x + *y;  // uncompressed; that it is on the curve is checked
    const Builder builder(OSSL_PARAM_BLD_new());
    if (OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1",
                                        0) != 1 ||
        OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                         point.size()) != 1) {
        return nullptr;
    }
    return built("EC", builder.get());
}

std::optional<Key> key_of(const json& given) {
    if (!given.is_object()) return std::nullopt;
    if (const auto use = text_in(given, "use"); !use.empty() && use != "sig") return std::nullopt;
    const bool rsa = text_in(given, "kty") == "RSA";
    if (!rsa && text_in(given, "kty") != "EC") return std::nullopt;
    const auto algorithm = text_in(given, "alg");
    if (!algorithm.empty() && algorithm != (rsa ? "RS256" : "ES256")) return std::nullopt;
    auto made = rsa ? rsa_key(given) : ec_key(given);
    if (!made) return std::nullopt;
    return Key{text_in(given, "kid"), rsa ? Algorithm::rs256 : Algorithm::es256, std::move(made)};
}

// OpenSSL takes the two numbers of an ECDSA signature as DER.
std::string to_der(std::string_view signature) {
    if (signature.size() != 2 * kCoordinate) return {};
    auto r = number_of(signature.substr(0, kCoordinate));
    auto s = number_of(signature.substr(kCoordinate));
    const Signature pair(ECDSA_SIG_new());
    if (!pair || ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1) return {};
    r.release();  // the pair owns them now
    s.release();
    std::string der(static_cast<std::size_t>(i2d_ECDSA_SIG(pair.get(), nullptr)), '\0');
    auto* to = reinterpret_cast<unsigned char*>(der.data());
    i2d_ECDSA_SIG(pair.get(), &to);
    return der;
}

constexpr std::size_t kMaxSubject = 255;  // characters, as OpenID Connect Core 2 says

tl::unexpected<Error> wrong(std::string why) {
    return fail(Errc::corrupt, "The ID token " + std::move(why) + ".");
}

// Seconds since 1970; nullopt: absent, or no time.
std::optional<double> time_of(const json& claims, const char* name) {
    const auto found = claims.find(name);
    if (found == claims.end() || !found->is_number()) return std::nullopt;
    const auto seconds = found->get<double>();
    return std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

Result<json> part(std::string_view text, const char* what) {
    const auto bytes = from_base64url(text);
    auto parsed = bytes ? json::parse(*bytes, nullptr, false) : json();
    if (!parsed.is_object()) return wrong(std::string("has a malformed ") + what);
    return parsed;
}

bool may_have_signed(const Key& key, const SignedToken& token) {
    return key.algorithm == token.algorithm && (token.key_id.empty() || key.id == token.key_id);
}

bool is_for(const json& audience, const std::string& client) {
    if (audience.is_string()) return audience.get_ref<const std::string&>() == client;
    return audience.is_array() &&
           std::ranges::any_of(audience, [&](const json& one) { return one == client; });
}

Result<void> check_parties(const json& claims, const Expectation& expected) {
    if (text_in(claims, "iss") != expected.issuer) return wrong("is from another issuer");
    const auto audience = claims.find("aud");
    if (audience == claims.end() || !is_for(*audience, expected.client_id))
        return wrong("is for another client");
    const bool for_many = audience->is_array() && audience->size() > 1;
    if ((for_many || claims.contains("azp")) && text_in(claims, "azp") != expected.client_id)
        return wrong("was issued to another client");
    const auto subject = text_in(claims, "sub");
    if (subject.empty() || subject.size() > kMaxSubject || subject.find('\0') != std::string::npos)
        return wrong("names no user");
    return {};
}

Result<void> check_times(const json& claims, Timestamp at) {
    const double now = std::chrono::duration<double>(at.time_since_epoch()).count();
    const auto skew = static_cast<double>(kClockSkew.count());
    const auto expires = time_of(claims, "exp");
    if (!expires) return wrong("has no expiry");
    if (*expires <= now - skew) return wrong("has expired");
    const auto issued = time_of(claims, "iat");
    if (!issued) return wrong("does not say when it was issued");
    if (*issued > now + skew) return wrong("was issued in the future: compare the clocks");
    if (!claims.contains("nbf")) return {};
    const auto begins = time_of(claims, "nbf");
    if (!begins || *begins > now + skew) return wrong("is not valid yet: compare the clocks");
    return {};
}

}  // namespace

Result<std::vector<Key>> parse_keys(std::string_view text) {
    const auto set = json::parse(text, nullptr, false);
    if (!set.is_object() || !set.contains("keys") || !set["keys"].is_array())
        return fail(Errc::corrupt, "The provider's keys are not a JWK set.");
    std::vector<Key> keys;
    for (const auto& given : set["keys"]) {
        if (keys.size() == kMaxKeys) break;
        if (auto key = key_of(given)) keys.push_back(std::move(*key));
    }
    if (keys.empty()) {
        return fail(Errc::corrupt,
                    "The provider has no key for RS256 (of 2048 bits or more) or ES256.");
    }
    return keys;
}

bool verifies(const Key& key, std::string_view message, std::string_view signature) {
    const auto converted =
        key.algorithm == Algorithm::es256 ? to_der(signature) : std::string(signature);
    const Digest digest(EVP_MD_CTX_new());
    return digest && !converted.empty() &&
           EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.key.get()) == 1 &&
           EVP_DigestVerify(digest.get(), octets_of(converted), converted.size(),
                            octets_of(message), message.size()) == 1;
}

Result<SignedToken> read_token(std::string_view token) {
    const auto first = token.find('.');
    const auto last = token.rfind('.');
    if (first == std::string_view::npos || first == last || token.find('.', first + 1) != last)
        return wrong("does not have three parts");
    TRY(const auto header, part(token.substr(0, first), "header"));
    SignedToken read;
    const auto algorithm = text_in(header, "alg");
    if (algorithm == "RS256")
        read.algorithm = Algorithm::rs256;
    else if (algorithm == "ES256")
        read.algorithm = Algorithm::es256;
    else
        return wrong("is signed with an algorithm other than RS256 and ES256");
    // An extension that must be understood, and is not.
    if (header.contains("crit")) return wrong("has a critical extension");
    read.key_id = text_in(header, "kid");
    TRY(read.claims, part(token.substr(first + 1, last - first - 1), "content"));
    read.message = token.substr(0, last);
    auto signature = from_base64url(token.substr(last + 1));
    if (!signature || signature->empty()) return wrong("has a malformed signature");
    read.signature = std::move(*signature);
    return read;
}

bool has_key(const std::vector<Key>& keys, const SignedToken& token) {
    return std::ranges::any_of(keys, [&](const Key& key) { return may_have_signed(key, token); });
}

Result<void> check_id_token(const SignedToken& token, const std::vector<Key>& keys,
                            const Expectation& expected) {
    if (!has_key(keys, token)) return wrong("is signed with a key that the provider does not list");
    if (!std::ranges::any_of(keys, [&](const Key& key) {
            return may_have_signed(key, token) && verifies(key, token.message, token.signature);
        })) {
        return wrong("has an invalid signature");
    }
    TRY_DO(check_parties(token.claims, expected));
    TRY_DO(check_times(token.claims, expected.now));
    if (expected.nonce.empty() || !same_text(text_in(token.claims, "nonce"), expected.nonce))
        return wrong("belongs to another sign-in: the nonce differs");
    if (token.claims.contains("at_hash")) {
        const auto half = sha256(expected.access_token).substr(0, 16);
        if (text_in(token.claims, "at_hash") != to_base64url(half))
            return wrong("belongs to another access token");
    }
    return {};
}

}  // namespace plimsoll::oidc
