#pragma once

#include "server/oidc/encoding.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

namespace plimsoll::oidc::test {

using nlohmann::json;

// A provider's private key, which signs tokens as a provider does.
class Signer {
  public:
    static Signer rsa(const std::string& id, unsigned bits = 2048) {
        return {id, EVP_RSA_gen(bits), true};
    }
    static Signer ec(const std::string& id, const char* curve = "P-256") {
        return {id, EVP_EC_gen(curve), false};
    }

    json jwk() const {
        json key = {{"kid", id_}, {"use", "sig"}, {"kty", rsa_ ? "RSA" : "EC"}};
        if (rsa_) {
            key["n"] = number(OSSL_PKEY_PARAM_RSA_N);
            key["e"] = number(OSSL_PKEY_PARAM_RSA_E);
        } else {
            key["crv"] = "P-256";
            key["x"] = number(OSSL_PKEY_PARAM_EC_PUB_X, 32);
            key["y"] = number(OSSL_PKEY_PARAM_EC_PUB_Y, 32);
        }
        return key;
    }

    // What everybody can read of it.
    std::string public_pem() const {
        const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
        PEM_write_bio_PUBKEY(memory.get(), key_.get());
        char* text = nullptr;
        const auto size = BIO_get_mem_data(memory.get(), &text);
        return {text, static_cast<std::size_t>(size)};
    }

    json header() const { return {{"alg", rsa_ ? "RS256" : "ES256"}, {"kid", id_}}; }

    std::string token(const json& claims) const { return token(header(), claims); }
    std::string token(const json& head, const json& claims) const {
        const auto message = to_base64url(head.dump()) + '.' + to_base64url(claims.dump());
        return message + '.' + to_base64url(signature(message));
    }

    std::string signature(const std::string& message) const {
        const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                              EVP_MD_CTX_free);
        std::string signature(1024, '\0');
        auto size = signature.size();
        const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
        auto* to = reinterpret_cast<unsigned char*>(signature.data());
        if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1 ||
            EVP_DigestSign(context.get(), to, &size, bytes, message.size()) != 1) {
            throw std::runtime_error("cannot sign");
        }
        signature.resize(size);
        return rsa_ ? signature : raw(signature);
    }

  private:
    Signer(std::string id, EVP_PKEY* key, bool rsa)
        : id_(std::move(id)), key_(key, EVP_PKEY_free), rsa_(rsa) {}

    std::string number(const char* name, int size = 0) const {
        BIGNUM* value = nullptr;
        if (EVP_PKEY_get_bn_param(key_.get(), name, &value) != 1)
            throw std::runtime_error("no such number");
        const std::unique_ptr<BIGNUM, decltype(&BN_free)> owned(value, BN_free);
        std::string bytes(static_cast<std::size_t>(size == 0 ? BN_num_bytes(value) : size), '\0');
        BN_bn2binpad(value, reinterpret_cast<unsigned char*>(bytes.data()),
                     static_cast<int>(bytes.size()));
        return to_base64url(bytes);
    }

    // The two numbers, as a JWS has them.
    static std::string raw(const std::string& der) {
        const auto* from = reinterpret_cast<const unsigned char*>(der.data());
        const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(
            d2i_ECDSA_SIG(nullptr, &from, static_cast<long>(der.size())), ECDSA_SIG_free);
        std::string bytes(64, '\0');
        auto* to = reinterpret_cast<unsigned char*>(bytes.data());
        BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), to, 32);
        BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), to + 32, 32);
        return bytes;
    }

    std::string id_;
    std::shared_ptr<EVP_PKEY> key_;
    bool rsa_;
};

inline std::string set_of(const std::vector<Signer>& signers) {
    auto keys = json::array();
    for (const auto& signer : signers) keys.push_back(signer.jwk());
    return json({{"keys", keys}}).dump();
}

}  // namespace plimsoll::oidc::test
