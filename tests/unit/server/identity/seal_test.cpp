#include "server/identity/seal.hpp"

#include <gtest/gtest.h>

namespace plimsoll::identity {
namespace {

const std::string kKey(kSealKeyBytes, 'k');

TEST(Seal, IsOpenedWhereItWasMade) {
    for (const std::string text : {"", "job_0d7k", "a longer text, with \n and \xff in it"}) {
        const auto sealed = seal(kKey, "listJobs team_1", text);
        EXPECT_EQ(sealed.find_first_of("+/= "), std::string::npos);
        EXPECT_EQ(unseal(kKey, "listJobs team_1", sealed), text);
        EXPECT_FALSE(unseal(kKey, "listJobs team_2", sealed));
        EXPECT_FALSE(unseal(std::string(kSealKeyBytes, 'l'), "listJobs team_1", sealed));
    }
}

TEST(Seal, TextAndContextAreNotInterchangeable) {
    EXPECT_FALSE(unseal(kKey, "ab", seal(kKey, "a", "bc")));
    EXPECT_FALSE(unseal(kKey, "a", seal(kKey, "ab", "c")));
}

TEST(Seal, AChangedSealIsRefused) {
    const auto sealed = seal(kKey, "c", "job_0d7k");
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        for (int change = 1; change < 256; ++change) {
            auto wrong = sealed;
            wrong[i] = static_cast<char>(wrong[i] ^ change);
            EXPECT_FALSE(unseal(kKey, "c", wrong)) << i << ' ' << change;
        }
        EXPECT_FALSE(unseal(kKey, "c", sealed.substr(0, i))) << i;
    }
    EXPECT_FALSE(unseal(kKey, "c", "no base 64!"));
}

}  // namespace
}  // namespace plimsoll::identity
