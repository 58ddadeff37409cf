#include "server/base/hex.hpp"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using namespace std::string_view_literals;

TEST(Hex, HasTwoDigitsPerByte) {
    EXPECT_EQ(hex(""), "");
    EXPECT_EQ(hex("\0\x0f\xa0\xff"sv), "000fa0ff");
}

}  // namespace
}  // namespace plimsoll
