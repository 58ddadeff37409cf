#include "server/identity/password.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll::identity {
namespace {

std::string normalized(std::string_view text) { return normalize_password(text).value(); }

class ListFile {
  public:
    explicit ListFile(const std::string& content) { std::ofstream(path) << content; }
    ~ListFile() { std::filesystem::remove(path); }

    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("plimsoll-breached-" + std::to_string(getpid()));
};

// SHA-1 of "password" (RFC 3174's algorithm by coreutils), with neighbours.
constexpr auto kPassword = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";

TEST(Password, IsTheSameHoweverItIsTyped) {
    EXPECT_EQ(normalized("Zu\xCC\x88rich"), "Z\xC3\xBCrich") << "composed";
    EXPECT_EQ(normalized("\xEF\xBD\x81\xEF\xBD\x82"), "ab") << "full width";
    EXPECT_EQ(normalized("\xEF\xAC\x81sh"), "fish") << "a ligature";
    EXPECT_EQ(normalized("  two  blanks "), "  two  blanks ");
    EXPECT_FALSE(normalize_password("\xC3"));
}

TEST(Password, IsCountedInCharactersAfterNormalization) {
    EXPECT_TRUE(normalize_password(std::string(256, 'x')));
    EXPECT_FALSE(normalize_password(std::string(257, 'x')));
    // U+FDFA, 3 bytes, becomes 18 characters.
    std::string grows;
    for (int i = 0; i < 15; ++i) grows += "\xEF\xB7\xBA";
    EXPECT_FALSE(normalize_password(grows));
    const PasswordRules rules{.min_length = 4, .breached = {}};
    EXPECT_TRUE(check_password(rules, "\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC"));
    const auto refused = check_password(rules, "\xC3\xBC\xC3\xBC\xC3\xBC");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "must have at least 4 characters");
}

TEST(Password, MatchesOnlyItsHash) {
    const auto hash = hash_password("a boat that floats");
    EXPECT_EQ(hash.rfind("$argon2id$v=19$m=19456,t=2,p=1$", 0), 0u) << hash;
    EXPECT_TRUE(matches_password(hash, "a boat that floats"));
    EXPECT_FALSE(matches_password(hash, "a boat that float"));
    EXPECT_NE(hash, hash_password("a boat that floats")) << "salted";
}

TEST(Password, OfNobodyMatchesNothingAtTheSameCost) {
    const auto hash = unmatched_hash();
    EXPECT_EQ(hash.size(), hash_password("a boat that floats").size()) << hash;
    EXPECT_FALSE(is_outdated(hash)) << "it is read as a hash of today's costs";
    EXPECT_FALSE(matches_password(hash, ""));
    EXPECT_NE(hash, unmatched_hash());
}

// By argon2-cffi 25.1 and OpenSSL 3.5, which agree: two passes over 64 KiB.
TEST(Password, MatchesAHashOfAnotherImplementation) {
    const std::string hash =
        "$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$"
        "Gpj7qOY5RCXJvcMzqcdQqvgR3wcPX7SleI4c9NtXk6E";
    EXPECT_TRUE(matches_password(hash, "password"));
    EXPECT_FALSE(matches_password(hash, "passwore"));
}

// A line that sorts before ('1') or after ('9') that of "password".
std::string neighbour(char first, int number) {
    const auto end = std::to_string(100 + number);
    return first + std::string(36, '0') + end + ":" + std::string(1 + number * 7 % 9, '4') + "\r\n";
}

TEST(BreachedPasswords, FindsALineAnywhere) {
    for (int before = 0; before < 16; ++before) {
        for (int after = 0; after < 16; ++after) {
            std::string rest;
            for (int i = 0; i < before; ++i) rest += neighbour('1', i);
            const auto split = rest.size();
            for (int i = 0; i < after; ++i) rest += neighbour('9', i);
            if (!rest.empty()) {
                const ListFile without(rest);
                EXPECT_FALSE(BreachedPasswords::open(without.path)->contains("password").value())
                    << before << ' ' << after;
            }
            const ListFile with(rest.insert(split, std::string(kPassword) + ":10437277\r\n"));
            EXPECT_TRUE(BreachedPasswords::open(with.path)->contains("password").value())
                << before << ' ' << after;
        }
    }
    const ListFile list(kPassword);
    const PasswordRules rules{.min_length = 1, .breached = *BreachedPasswords::open(list.path)};
    EXPECT_FALSE(check_password(rules, "password"));
    EXPECT_TRUE(check_password(rules, "a boat that floats"));
}

TEST(BreachedPasswords, AcceptsLinesWithAndWithoutCountsAndLineBreaks) {
    const std::string only(kPassword);
    const auto low = std::string(40, '0');
    const auto high = std::string(40, 'F');
    for (const auto& text : {only, only + "\n", only + ":7", low + "\n" + only, only + "\n" + high,
                             low + "\n" + only + "\n" + high + "\n"}) {
        const ListFile list(text);
        EXPECT_TRUE(BreachedPasswords::open(list.path)->contains("password").value()) << text;
        EXPECT_FALSE(BreachedPasswords::open(list.path)->contains("Password").value()) << text;
    }
    const ListFile lower("5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8\n");
    EXPECT_TRUE(BreachedPasswords::open(lower.path)->contains("password").value());
}

TEST(BreachedPasswords, AnotherFileIsRefused) {
    EXPECT_FALSE(BreachedPasswords::open("/nowhere/list"));
    for (const auto* text : {"", "password\n", "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8AA\n"}) {
        const ListFile list(text);
        EXPECT_FALSE(BreachedPasswords::open(list.path)) << text;
    }
    const ListFile mixed(std::string(40, '0') + "\n" +
                         "not a hash, but as long as one: fortyfour\n");
    EXPECT_FALSE(BreachedPasswords::open(mixed.path)->contains("password"));
}

}  // namespace
}  // namespace plimsoll::identity
