#include "server/identity/secret.hpp"

#include <array>
#include <stdexcept>

#include <sodium.h>
#include <zlib.h>

namespace plimsoll::identity {
namespace {

constexpr std::string_view kDigits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kBodyLength = 27;  // 27 * log2(62) = 160.7 bits
constexpr std::size_t kCheckLength = 6;  // 62^6 > 2^32

std::string_view prefix(SecretKind kind) {
    switch (kind) {
        case SecretKind::token: return "plm_api_";
        case SecretKind::sign_in: return "plm_signin_";
        case SecretKind::session: return "plm_session_";
        case SecretKind::report_link: return "plm_report_";
        case SecretKind::password_link: return "plm_password_";
        case SecretKind::invitation: return "plm_invite_";
    }
    return {};
}

std::string checksum(std::string_view text) {
    auto crc = static_cast<unsigned long>(
        crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
    std::string digits(kCheckLength, '0');
    for (std::size_t i = kCheckLength; i-- > 0; crc /= 62) digits[i] = kDigits[crc % 62];
    return digits;
}

std::string sha256(std::string_view text) {
    std::string hash(crypto_hash_sha256_BYTES, '\0');
    crypto_hash_sha256(reinterpret_cast<unsigned char*>(hash.data()),
                       reinterpret_cast<const unsigned char*>(text.data()), text.size());
    return hash;
}

void start_sodium() {
    static const bool ready = sodium_init() >= 0;
    if (!ready) throw std::runtime_error("cannot start libsodium: no source of randomness");
}

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

Secret make_secret(SecretKind kind) {
    start_sodium();
    std::string text(prefix(kind));
    for (std::size_t i = 0; i < kBodyLength; ++i) text += kDigits[randombytes_uniform(62)];
    text += '_' + checksum(text);
    auto hash = sha256(text);
    return {std::move(text), std::move(hash)};
}

std::optional<std::string> hash_secret(SecretKind kind, std::string_view text) {
    const auto start = prefix(kind);
    const auto checked = start.size() + kBodyLength;
    if (text.size() != checked + 1 + kCheckLength || !text.starts_with(start) ||
        text[checked] != '_' || text.substr(checked + 1) != checksum(text.substr(0, checked))) {
        return std::nullopt;
    }
    return sha256(text);
}

std::string make_nonce() {
    start_sodium();
    std::array<unsigned char, 16> bytes{};
    randombytes_buf(bytes.data(), bytes.size());
    std::string text(sodium_base64_ENCODED_LEN(16, sodium_base64_VARIANT_URLSAFE_NO_PADDING), '\0');
    sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(),
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    text.pop_back();  // the terminator that libsodium counts in
    return text;
}

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
