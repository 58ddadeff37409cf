#include "server/identity/totp.hpp"

#include <set>

#include <gtest/gtest.h>

namespace plimsoll::identity {
namespace {

constexpr auto kRfcSecret = "12345678901234567890";

Timestamp at(std::int64_t seconds) { return Timestamp(std::chrono::seconds(seconds)); }

// RFC 6238, appendix B, the last six of eight digits.
TEST(Totp, GivesTheCodesOfTheStandard) {
    const std::pair<std::int64_t, const char*> rows[] = {{59, "287082"},
                                                         {1'111'111'109, "081804"},
                                                         {1'111'111'111, "050471"},
                                                         {1'234'567'890, "005924"},
                                                         {2'000'000'000, "279037"},
                                                         {20'000'000'000, "353130"}};
    for (const auto& [seconds, code] : rows)
        EXPECT_EQ(code_of(kRfcSecret, code_step(at(seconds))), code) << seconds;
}

TEST(Totp, ACodeIsValidOneStepEarlierAndLater) {
    const auto now = at(1'111'111'111);
    const auto step = code_step(now);
    for (const int away : {-1, 0, 1})
        EXPECT_EQ(match_code(kRfcSecret, code_of(kRfcSecret, step + away), now, 0), step + away);
    for (const int away : {-2, 2})
        EXPECT_FALSE(match_code(kRfcSecret, code_of(kRfcSecret, step + away), now, 0)) << away;
}

TEST(Totp, NoCodeIsValidAtOrBeforeTheUsedStep) {
    const auto now = at(1'111'111'111);
    const auto step = code_step(now);
    EXPECT_FALSE(match_code(kRfcSecret, code_of(kRfcSecret, step), now, step));
    EXPECT_FALSE(match_code(kRfcSecret, code_of(kRfcSecret, step - 1), now, step));
    EXPECT_EQ(match_code(kRfcSecret, code_of(kRfcSecret, step + 1), now, step), step + 1);
}

TEST(Totp, OtherTextIsNoCode) {
    for (const auto* text : {"", "28708", "2870820", "28708a", "      "})
        EXPECT_FALSE(match_code(kRfcSecret, text, at(59), 0)) << text;
}

// RFC 4648, chapter 10, without padding.
TEST(Totp, WritesBase32) {
    const std::pair<const char*, const char*> rows[] = {{"", ""},
                                                        {"f", "MY"},
                                                        {"fo", "MZXQ"},
                                                        {"foo", "MZXW6"},
                                                        {"foob", "MZXW6YQ"},
                                                        {"fooba", "MZXW6YTB"},
                                                        {"foobar", "MZXW6YTBOI"}};
    for (const auto& [bytes, text] : rows) EXPECT_EQ(to_base32(bytes), text);
}

TEST(Totp, TheUriHoldsNameAndSecret) {
    EXPECT_EQ(code_uri(kRfcSecret, "ada?x@example.com"),
              "otpauth://totp/Plimsoll:ada%3Fx%40example%2Ecom?secret="
              "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Plimsoll&algorithm=SHA1&digits=6&period=30");
}

TEST(Totp, SecretsAndRecoveryCodesDiffer) {
    EXPECT_EQ(make_code_secret().size(), 20u);
    EXPECT_NE(make_code_secret(), make_code_secret());
    std::set<std::string> hashes;
    for (const auto& code : make_recovery_codes()) {
        EXPECT_EQ(code.text.size(), 19u);
        hashes.insert(code.hash);
    }
    EXPECT_EQ(hashes.size(), static_cast<std::size_t>(kRecoveryCodes));
}

TEST(Totp, ARecoveryCodeIsReadAsItIsTyped) {
    const auto code = make_recovery_codes().front();
    std::string typed = " ";
    for (const char c : code.text) typed += c == '-' ? ' ' : static_cast<char>(std::tolower(c));
    EXPECT_EQ(hash_recovery_code(code.text), code.hash);
    EXPECT_EQ(hash_recovery_code(typed), code.hash);
    for (const auto* text : {"", "287082", "ABCD-EFGH-IJKL-MNO1", "ABCD-EFGH-IJKL-MNOPQ"})
        EXPECT_FALSE(hash_recovery_code(text)) << text;
}

}  // namespace
}  // namespace plimsoll::identity
