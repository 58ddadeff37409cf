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
        case SecretKind::token:
            return "plm_api_";
        case SecretKind::sign_in:
            return "plm_signin_";
        case SecretKind::session:
            return "plm_session_";
        case SecretKind::report_link:
            return "plm_report_";
        case SecretKind::password_link:
            return "plm_password_";
        case SecretKind::invitation:
            return "plm_invite_";
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

}  // namespace plimsoll::identity
