#include "server/identity/secret.hpp"

#include <set>

#include <gtest/gtest.h>

namespace plimsoll::identity {
namespace {

TEST(Secret, IsHashedTheSameWhenItComesBack) {
    for (const auto kind : {SecretKind::token, SecretKind::sign_in, SecretKind::session}) {
        const auto secret = make_secret(kind);
        EXPECT_EQ(secret.hash.size(), 32U);
        EXPECT_EQ(hash_secret(kind, secret.text), secret.hash);
    }
}

TEST(Secret, OfAnotherKindIsRefused) {
    EXPECT_FALSE(hash_secret(SecretKind::session, make_secret(SecretKind::token).text));
}

TEST(Secret, ThatWasMistypedOrCutIsRefusedWithoutTheDatabase) {
    const auto text = make_secret(SecretKind::token).text;
    EXPECT_FALSE(hash_secret(SecretKind::token, text.substr(0, text.size() - 1)));
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto wrong = text;
        wrong[i] = wrong[i] == 'x' ? 'y' : 'x';
        EXPECT_FALSE(hash_secret(SecretKind::token, wrong)) << i;
    }
}

TEST(Secret, IsNeverTheSameTwice) {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i)
        EXPECT_TRUE(seen.insert(make_secret(SecretKind::token).text).second);
}

TEST(Nonce, Is22UrlSafeCharacters) {
    const auto nonce = make_nonce();
    EXPECT_EQ(nonce.size(), 22U);
    EXPECT_EQ(nonce.find_first_of("+/="), std::string::npos);
    EXPECT_NE(nonce, make_nonce());
}

}  // namespace
}  // namespace plimsoll::identity
