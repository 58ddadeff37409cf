#include "server/identity/totp.hpp"

#include <array>
#include <cctype>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sodium.h>

namespace plimsoll::identity {
namespace {

constexpr std::string_view kBase32Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::size_t kCodeSecretBytes = 20;
constexpr std::size_t kRecoveryBytes = 10;
constexpr std::size_t kRecoveryDigits = 16;
constexpr std::size_t kRecoveryGroup = 4;

std::string random_bytes(std::size_t count) {
    if (sodium_init() < 0) throw std::runtime_error("cannot start libsodium");
    std::string bytes(count, '\0');
    randombytes_buf(bytes.data(), bytes.size());
    return bytes;
}

// Of a recovery code without separators, in upper case.
std::string hash_digits(std::string_view digits) {
    std::string hash(crypto_hash_sha256_BYTES, '\0');
    crypto_hash_sha256(reinterpret_cast<unsigned char*>(hash.data()),
                       reinterpret_cast<const unsigned char*>(digits.data()), digits.size());
    return hash;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kHexDigits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && std::isalnum(byte))
            encoded += c;
        else
            encoded += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    }
    return encoded;
}

}  // namespace

std::string make_code_secret() { return random_bytes(kCodeSecretBytes); }

std::string to_base32(std::string_view bytes) {
    std::string text;
    unsigned pending = 0;
    int bits = 0;
    for (const char c : bytes) {
        pending = (pending << 8 | static_cast<unsigned char>(c)) & 0xFFF;
        for (bits += 8; bits >= 5; bits -= 5) text += kBase32Digits[pending >> (bits - 5) & 31];
    }
    if (bits > 0) text += kBase32Digits[pending << (5 - bits) & 31];
    return text;
}

std::int64_t code_step(Timestamp at) {
    return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()) / kCodeStep;
}

std::string code_of(std::string_view secret, std::int64_t step) {
    std::array<unsigned char, 8> counter{};
    for (std::size_t i = counter.size(); i-- > 0; step >>= 8)
        counter[i] = static_cast<unsigned char>(step & 0xFF);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    if (!HMAC(EVP_sha1(), secret.data(), static_cast<int>(secret.size()), counter.data(),
              counter.size(), digest.data(), &length)) {
        throw std::runtime_error("HMAC-SHA-1 is not available");
    }
    // RFC 4226, 5.3: the last four bits give the offset of the code.
    const std::size_t at = digest[length - 1] & 15;
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i) number = number << 8 | digest[i];
    number &= 0x7FFF'FFFF;
    std::string code(kCodeDigits, '0');
    for (std::size_t i = kCodeDigits; i-- > 0; number /= 10)
        code[i] = static_cast<char>('0' + number % 10);
    return code;
}

std::optional<std::int64_t> match_code(std::string_view secret, std::string_view code,
                                       Timestamp now, std::int64_t used) {
    if (code.size() != kCodeDigits) return std::nullopt;
    std::optional<std::int64_t> matched;
    const auto present = code_step(now);
    for (auto step = present - 1; step <= present + 1; ++step) {
        const auto right = code_of(secret, step);
        const bool same = sodium_memcmp(right.data(), code.data(), kCodeDigits) == 0;
        if (same && step > used) matched = step;
    }
    return matched;
}

std::string code_uri(std::string_view secret, std::string_view account) {
    return "otpauth://totp/Plimsoll:" + percent_encoded(account) + "?secret=" + to_base32(secret) +
           "&issuer=Plimsoll&algorithm=SHA1&digits=" + std::to_string(kCodeDigits) +
           "&period=" + std::to_string(kCodeStep.count());
}

std::vector<RecoveryCode> make_recovery_codes() {
    std::vector<RecoveryCode> codes(kRecoveryCodes);
    for (auto& code : codes) {
        code.text = to_base32(random_bytes(kRecoveryBytes));
        code.hash = hash_digits(code.text);
        for (auto at = kRecoveryDigits - kRecoveryGroup; at > 0; at -= kRecoveryGroup)
            code.text.insert(at, 1, '-');
    }
    return codes;
}

std::optional<std::string> hash_recovery_code(std::string_view text) {
    std::string digits;
    for (const char c : text) {
        if (c == '-' || c == ' ') continue;
        const auto upper = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        if (kBase32Digits.find(upper) == std::string_view::npos) return std::nullopt;
        digits += upper;
    }
    if (digits.size() != kRecoveryDigits) return std::nullopt;
    return hash_digits(digits);
}

}  // namespace plimsoll::identity
