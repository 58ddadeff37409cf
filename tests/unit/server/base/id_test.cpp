#include "server/base/id.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(PublicId, RoundTripsEveryPositiveNumber) {
    for (const std::int64_t value :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{31}, std::int64_t{32},
          std::int64_t{20'000} << 40, std::numeric_limits<std::int64_t>::max()}) {
        const auto text = public_id("job", value);
        EXPECT_EQ(text.size(), 17U);
        EXPECT_EQ(parse_public_id("job", text), value) << text;
    }
}

TEST(PublicId, KeepsTheOrderOfTheNumbers) {
    EXPECT_LT(public_id("job", 31), public_id("job", 32));
    EXPECT_LT(public_id("job", 1023), public_id("job", std::int64_t{1} << 40));
}

TEST(PublicId, RefusesInvalidIds) {
    const auto good = public_id("job", 77);
    EXPECT_FALSE(parse_public_id("team", good));
    EXPECT_FALSE(parse_public_id("job", good.substr(1)));
    EXPECT_FALSE(parse_public_id("job", good + "0"));
    EXPECT_FALSE(parse_public_id("job", "job_000000000000u"));  // u is no digit
    EXPECT_FALSE(parse_public_id("job", "job_000000000000O"));  // nor are capitals
    EXPECT_FALSE(parse_public_id("job", "job_8000000000000"));  // above 2^63 - 1
    EXPECT_FALSE(parse_public_id("job", ""));
}

}  // namespace
}  // namespace plimsoll
