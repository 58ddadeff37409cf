#include "server/oidc/keys.hpp"

#include "server/oidc/encoding.hpp"
#include "server/oidc/json_text.hpp"

#include <optional>

#include <nlohmann/json.hpp>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

namespace plimsoll::oidc {
namespace {

using nlohmann::json;

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
    constexpr int kMostRsaBits = 8192;  // longer ones are slow to verify, and nobody uses them
    const int bits = made ? EVP_PKEY_get_bits(made.get()) : 0;
    return bits >= kLeastRsaBits && bits <= kMostRsaBits ? made : nullptr;
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

}  // namespace

Result<std::vector<Key>> parse_keys(std::string_view text) {
    const auto set = json::parse(text, nullptr, false);
    if (!set.is_object() || !set.contains("keys") || !set["keys"].is_array()) {
        return fail(Errc::corrupt, "The provider's keys are not a JWK set.");
    }
    std::vector<Key> keys;
    for (const auto& given : set["keys"]) {
        if (keys.size() == kMostKeys) break;
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

}  // namespace plimsoll::oidc
