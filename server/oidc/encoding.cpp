#include "server/oidc/encoding.hpp"

#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <sodium.h>

namespace plimsoll::oidc {
namespace {

constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

const unsigned char* octets(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string to_base64url(std::string_view bytes) {
    std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
    sodium_bin2base64(text.data(), text.size(), octets(bytes), bytes.size(), kVariant);
    text.pop_back();  // the terminator that libsodium counts in
    return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
    std::string bytes(text.size(), '\0');
    std::size_t length = 0;
    if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                          text.size(), nullptr, &length, nullptr, kVariant) != 0) {
        return std::nullopt;
    }
    bytes.resize(length);
    // libsodium takes bytes above 127 for letters.
    if (to_base64url(bytes) != text) return std::nullopt;
    return bytes;
}

std::string sha256(std::string_view bytes) {
    std::string digest(crypto_hash_sha256_BYTES, '\0');
    crypto_hash_sha256(reinterpret_cast<unsigned char*>(digest.data()), octets(bytes),
                       bytes.size());
    return digest;
}

std::string escaped(std::string_view text) {
    return boost::urls::encode(text, boost::urls::unreserved_chars);
}

bool same_text(std::string_view a, std::string_view b) {
    return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace plimsoll::oidc
