#include "server/identity/seal.hpp"

#include <stdexcept>

#include <sodium.h>

namespace plimsoll::identity {
namespace {

constexpr std::size_t kMarkBytes = 16;
constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

const unsigned char* raw(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::string mark(std::string_view key, std::string_view context, std::string_view text) {
    if (key.size() != kSealKeyBytes) throw std::logic_error("the key of a seal must have 32 bytes");
    // The length prevents context from being mistaken for text.
    const auto content =
        std::to_string(context.size()) + ':' + std::string(context) + std::string(text);
    std::string digest(crypto_auth_hmacsha512256_BYTES, '\0');
    crypto_auth_hmacsha512256(reinterpret_cast<unsigned char*>(digest.data()), raw(content),
                              content.size(), raw(key));
    digest.resize(kMarkBytes);
    return digest;
}

}  // namespace

std::string seal(std::string_view key, std::string_view context, std::string_view text) {
    const auto content = mark(key, context, text) + std::string(text);
    std::string sealed(sodium_base64_encoded_len(content.size(), kVariant), '\0');
    sodium_bin2base64(sealed.data(), sealed.size(), raw(content), content.size(), kVariant);
    sealed.pop_back();  // the terminator that libsodium counts in
    return sealed;
}

std::optional<std::string> unseal(std::string_view key, std::string_view context,
                                  std::string_view sealed) {
    std::string content(sealed.size(), '\0');
    std::size_t length = 0;
    if (sodium_base642bin(reinterpret_cast<unsigned char*>(content.data()), content.size(),
                          sealed.data(), sealed.size(), nullptr, &length, nullptr, kVariant) != 0 ||
        length < kMarkBytes) {
        return std::nullopt;
    }
    content.resize(length);
    auto text = content.substr(kMarkBytes);
    // Compares the whole text: libsodium also decodes texts that it never produces.
    const auto wanted = seal(key, context, text);
    if (wanted.size() != sealed.size() ||
        sodium_memcmp(wanted.data(), sealed.data(), wanted.size()) != 0) {
        return std::nullopt;
    }
    return text;
}

}  // namespace plimsoll::identity
