#include "server/http/messages/fingerprint.hpp"

#include "server/base/hex.hpp"

#include <stdexcept>

#include <openssl/evp.h>

namespace plimsoll::http {

std::string fingerprint(std::string_view content) {
    std::string digest(32, '\0');
    unsigned length = 0;
    if (EVP_Digest(content.data(), content.size(), reinterpret_cast<unsigned char*>(digest.data()),
                   &length, EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error("SHA-256 is not available");
    }
    return digest;
}

std::string content_etag(std::string_view content) {
    return '"' + hex(fingerprint(content).substr(0, 16)) + '"';
}

}  // namespace plimsoll::http
