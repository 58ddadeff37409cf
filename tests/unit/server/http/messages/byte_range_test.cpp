#include "server/http/messages/byte_range.hpp"

#include <gtest/gtest.h>

namespace plimsoll::http {
namespace {

std::string shown(std::string_view header, std::uint64_t total) {
    const auto range = parse_byte_range(header);
    if (!range) return "ignored";
    const auto slice = slice_of(*range, total);
    return slice ? content_range(*slice, total) : "none";
}

TEST(ByteRange, IsClippedToTheContent) {
    EXPECT_EQ(shown("bytes=0-", 100), "bytes 0-99/100");
    EXPECT_EQ(shown("bytes=10-19", 100), "bytes 10-19/100");
    EXPECT_EQ(shown("bytes=99-", 100), "bytes 99-99/100");
    EXPECT_EQ(shown("bytes=90-1000", 100), "bytes 90-99/100");
    EXPECT_EQ(shown("bytes=-10", 100), "bytes 90-99/100");
    EXPECT_EQ(shown("bytes=-1000", 100), "bytes 0-99/100");
}

TEST(ByteRange, IsEmptyBeyondTheEnd) {
    EXPECT_EQ(shown("bytes=100-", 100), "none");
    EXPECT_EQ(shown("bytes=0-", 0), "none");
    EXPECT_EQ(shown("bytes=-0", 100), "none");
    EXPECT_EQ(shown("bytes=-5", 0), "none");
}

TEST(ByteRange, AnythingButASingleRangeIsIgnored) {
    for (const auto* header :
         {"", "bytes=", "bytes=-", "bytes=5", "bytes=9-5", "bytes=0-1,5-6", "bytes=a-b",
          "bytes=1 -2", "bytes=+1-2", "bytes=-1-2", "items=0-1", "bytes=0-99999999999999999999"}) {
        EXPECT_EQ(shown(header, 100), "ignored") << header;
    }
}

}  // namespace
}  // namespace plimsoll::http
