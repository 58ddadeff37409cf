#include "engine/base/result.hpp"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

Result<int> half(int n) {
    if (n % 2 != 0) return fail(Errc::invalid_input, "The number must be even.", "/n");
    return n / 2;
}

TEST(Result, HoldsTheValueOrTheErrorWithItsField) {
    EXPECT_EQ(half(4).value(), 2);
    const auto odd = half(3);
    ASSERT_FALSE(odd);
    EXPECT_EQ(odd.error().code, Errc::invalid_input);
    EXPECT_EQ(odd.error().where, "/n");
}

}  // namespace
}  // namespace plimsoll
