#include "server/webhooks/signature.hpp"

#include <array>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

namespace plimsoll::webhooks {
namespace {

const unsigned char* bytes(std::string_view data) {
    return reinterpret_cast<const unsigned char*>(data.data());
}

}  // namespace

std::string base64(std::string_view data) {
    std::string text((data.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock ends with a zero
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes(data),
                                       static_cast<int>(data.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

std::string make_secret() {
    std::string secret(kSecretBytes, '\0');
    if (RAND_bytes(reinterpret_cast<unsigned char*>(secret.data()),
                   static_cast<int>(secret.size())) != 1) {
        throw std::runtime_error("the machine has no source of randomness");
    }
    return secret;
}

std::string shown(std::string_view secret) { return "whsec_" + base64(secret); }

std::string signature(std::string_view secret, std::string_view id, std::string_view timestamp,
                      std::string_view body) {
    std::string content(id);
    content.append(".").append(timestamp).append(".").append(body);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), bytes(content),
             content.size(), digest.data(), &length) == nullptr) {
        throw std::runtime_error("HMAC-SHA256 failed");
    }
    return "v1," + base64({reinterpret_cast<const char*>(digest.data()), length});
}

}  // namespace plimsoll::webhooks
