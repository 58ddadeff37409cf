#pragma once

#include "engine/base/result.hpp"
#include "server/base/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The second factor at sign-in with a password: time-based one-time codes (RFC 6238 with SHA-1, 30
// seconds and six digits, which is what authenticator apps implement), and recovery codes.
namespace plimsoll::identity {

inline constexpr std::chrono::seconds kCodeStep{30};
inline constexpr std::size_t kCodeDigits = 6;
inline constexpr int kRecoveryCodes = 10;

// 160 random bits, as RFC 4226 recommends.
std::string make_code_secret();

// The form in which people type a secret.
std::string to_base32(std::string_view bytes);

std::int64_t code_step(Timestamp at);
std::string code_of(std::string_view secret, std::int64_t step);

// The step whose code this is: of those at `now` and one before and after it, since clocks differ,
// and later than `used`, so that no code works twice. Its duration does not depend on the code.
std::optional<std::int64_t> match_code(std::string_view secret, std::string_view code,
                                       Timestamp now, std::int64_t used);

// What an authenticator app reads, often as a QR code.
std::string code_uri(std::string_view secret, std::string_view account);

struct RecoveryCode {
    std::string text;  // shown once: four groups of four base-32 digits
    std::string hash;  // SHA-256, since 80 random bits cannot be guessed
};

std::vector<RecoveryCode> make_recovery_codes();

// Of a recovery code as people type it: in any case, with or without separators; nullopt: not one.
std::optional<std::string> hash_recovery_code(std::string_view text);

}  // namespace plimsoll::identity
