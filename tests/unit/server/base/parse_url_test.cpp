#include "server/base/parse_url.hpp"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(ParseUrl, TakesAbsoluteUrls) {
    for (const auto* text : {"http://example.com", "https://user:word@example.com:8443/a?b#c",
                             "http://127.0.0.1:7272", "http://[::1]/x", "http://a.b?x"}) {
        EXPECT_TRUE(parse_url(text)) << text;
    }
    EXPECT_EQ(std::string(parse_url("http://Example.com:80/x")->host()), "Example.com");
}

TEST(ParseUrl, RefusesHostsThatTheLibraryWouldTruncate) {
    for (const auto* text : {"http://127.0.0.1.example.com", "http://10.0.0.1evil/", "example.com",
                             "/path", "mailto:a@b", "h:[", ""}) {
        EXPECT_FALSE(parse_url(text)) << text;
    }
}

TEST(ParseUrl, RefusesEncodedHosts) {
    EXPECT_TRUE(parse_url("http://user:%20@a.b/%0a"));
    for (const auto* text :
         {"http://a%0a.b", "http://user@a.b%2f:80", "http://[fe80::1%25eth0]/"}) {
        EXPECT_FALSE(parse_url(text)) << text;
    }
}

TEST(ParseUrl, RefusesBlanksAndControlCharacters) {
    for (const auto* text :
         {"h: \x1d", "http://a.b/ ", "http://a.b/\n", "http://a.b/\x7f", "http://a.b/\xc3\xa4"}) {
        EXPECT_FALSE(parse_url(text)) << text;
    }
}

}  // namespace
}  // namespace plimsoll
