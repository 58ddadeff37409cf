#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

// Passwords as text, and their Argon2id hashes. Texts are compared and hashed in Unicode form NFKC,
// so that a password does not depend on the keyboard that types it.

namespace plimsoll::identity {

// A file of breached passwords: a line per SHA-1 in hexadecimal, sorted, each optionally
// followed by a colon and a count, which is what the downloader of Have I Been Pwned writes. The
// file is searched where it is, in a few dozen reads, whatever its size.
class BreachedPasswords {
  public:
    // Errc::invalid_input: it cannot be read, or does not begin like such a file.
    static Result<BreachedPasswords> open(const std::filesystem::path& file);

    // Errc::unavailable: the file cannot be read any more. Errc::corrupt: it has a different line
    // where this one would be.
    Result<bool> contains(std::string_view password) const;

  private:
    struct File;
    explicit BreachedPasswords(std::shared_ptr<const File> file) : file_(std::move(file)) {}

    std::shared_ptr<const File> file_;
};

inline constexpr std::size_t kLongestPassword = 256;  // characters

struct PasswordRules {
    std::size_t min_length = 12;  // characters
    std::optional<BreachedPasswords> breached = {};
};

// Errc::invalid_input: not UTF-8, or too long.
Result<std::string> normalize_password(std::string_view text);

// Errc::invalid_input says which rule the normalized text breaks. May read the list of breached
// passwords from disk.
Result<void> check_password(const PasswordRules& rules, std::string_view normalized);

// "$argon2id$…", with a salt of its own. Takes about 25 ms and 19 MiB.
std::string hash_password(std::string_view normalized);

// Takes as long as hash_password(), right or wrong.
bool matches_password(const std::string& hash, std::string_view normalized);

// Whether its costs differ from those of hash_password().
bool is_outdated(const std::string& hash);

// A hash that no password matches, and that takes as long to compare as one of hash_password().
std::string unmatched_hash();

}  // namespace plimsoll::identity
