#include "server/http/access/allowed_hosts.hpp"

#include <gtest/gtest.h>

namespace plimsoll::http {
namespace {

TEST(AllowedHosts, AnyNameIsAllowedWithoutAList) {
    EXPECT_TRUE(AllowedHosts().allow("evil.example"));
    EXPECT_TRUE(AllowedHosts::parse("").value().allow("evil.example"));
}

TEST(AllowedHosts, AddressesAndLocalhostAreAlwaysAllowed) {
    const auto none = AllowedHosts::only({});
    for (const auto* host : {"127.0.0.1", "10.0.0.7:7272", "[::1]", "[fe80::1]:7272", "localhost",
                             "LOCALHOST:80", "localhost.", "app.localhost:7272"}) {
        EXPECT_TRUE(none.allow(host)) << host;
    }
    for (const auto* host : {"evil.example", "evil.example:7272", "127.0.0.1.evil.example", "",
                             "localhost.evil.example", "notlocalhost", "[evil.example]", "["}) {
        EXPECT_FALSE(none.allow(host)) << host;
    }
}

TEST(AllowedHosts, NamesAndSubdomainsAreAllowed) {
    const auto hosts = AllowedHosts::parse("Plimsoll.example.com, *.lab.example.org").value();
    for (const auto* host : {"plimsoll.example.com", "PLIMSOLL.example.com:443",
                             "a.lab.example.org", "b.a.lab.example.org.", "127.0.0.1"}) {
        EXPECT_TRUE(hosts.allow(host)) << host;
    }
    for (const auto* host : {"example.com", "x.plimsoll.example.com", "lab.example.org",
                             "evillab.example.org", ".lab.example.org"}) {
        EXPECT_FALSE(hosts.allow(host)) << host;
    }
}

TEST(AllowedHosts, InvalidEntriesAreNamed) {
    for (const auto* text :
         {"https://a.example", "a.example:80", "*", "a.*.example", "a b", ".a"}) {
        const auto parsed = AllowedHosts::parse(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_NE(parsed.error().message.find(text), std::string::npos) << text;
    }
}

TEST(AllowedHosts, TheHostOfAnAbsoluteTargetCounts) {
    EXPECT_EQ(host_of("/v1/jobs?label=http://a.example/", "localhost"), "localhost");
    EXPECT_EQ(host_of("http://evil.example/v1/jobs", "localhost"), "evil.example");
    EXPECT_EQ(host_of("https://evil.example:7272?x=a/b@c", "localhost"), "evil.example:7272");
    EXPECT_EQ(host_of("http://localhost@evil.example/", "localhost"), "evil.example");
    EXPECT_EQ(host_of("http:///v1/jobs", "localhost"), "");
}

}  // namespace
}  // namespace plimsoll::http
