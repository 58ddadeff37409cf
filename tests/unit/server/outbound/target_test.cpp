#include "server/outbound/target.hpp"

#include "server/base/addresses.hpp"

#include <gtest/gtest.h>

namespace plimsoll::outbound {
namespace {

bool is_public(const std::string& address) {
    return plimsoll::is_public(boost::asio::ip::make_address(address));
}

AllowList list(const std::string& origins, const std::string& networks = "") {
    return AllowList::parse(origins, networks).value();
}

bool allows(const AllowList& allowed, const std::string& url) {
    const auto target = parse_target(url);
    return target && allowed.allows(*target);
}

TEST(Target, IsParsed) {
    const auto target = parse_target("https://Hooks.Example.com/a%20b?c=d").value();
    EXPECT_TRUE(target.tls);
    EXPECT_EQ(target.host, "hooks.example.com");
    EXPECT_EQ(target.port, 443);
    EXPECT_EQ(target.path, "/a%20b?c=d");
    EXPECT_EQ(target.authority(), "hooks.example.com");
    const auto plain = parse_target("http://[2001:db8::1]:8080").value();
    EXPECT_FALSE(plain.tls);
    EXPECT_EQ(plain.host, "2001:db8::1");
    EXPECT_EQ(plain.path, "/");
    EXPECT_EQ(plain.authority(), "[2001:db8::1]:8080");
}

TEST(Target, OnlyHttpWithoutCredentialsIsAccepted) {
    for (const auto* url :
         {"", "hooks.example.com", "ftp://hooks.example.com/", "file:///etc/passwd",
          "gopher://hooks.example.com/", "https://", "https:///path", "https://a:b@example.com/",
          "https://a@example.com/", "https://example.com/#x", "https://example.com:0/",
          "https://example.com:70000/", "https://exa mple.com/", "https://example.com/\r\nHost: x",
          "javascript:alert(1)", "//example.com/"}) {
        EXPECT_FALSE(parse_target(url)) << url;
    }
}

TEST(Target, MailIsOneAddress) {
    EXPECT_EQ(parse_mail_target("mailto:Desk+night@Example.com").value(), "desk+night@example.com");
    for (const auto* url :
         {"", "mailto", "mailto:", "mailto:desk", "mailto:@example.com", "mailto:desk@",
          "mailto:a@b.example,c@d.example", "mailto:desk@example.com?subject=x",
          "mailto:desk@example.com\r\nRCPT TO:<x@y.example>", "mailto:<desk@example.com>",
          "mailto:d k@example.com", "mailto:*@example.com", "https://desk@example.com"})
        EXPECT_FALSE(parse_mail_target(url)) << url;
}

TEST(AllowList, MailGoesToListedAddresses) {
    const auto allowed = list("mailto:desk@example.com, mailto:*@example.org, https://a.example");
    EXPECT_TRUE(allowed.allows_mail("desk@example.com"));
    EXPECT_FALSE(allowed.allows_mail("boss@example.com"));
    EXPECT_TRUE(allowed.allows_mail("anybody@example.org"));
    EXPECT_FALSE(allowed.allows_mail("anybody@below.example.org"));
    EXPECT_FALSE(allowed.allows_mail("anybody@notexample.org"));
    EXPECT_FALSE(AllowList::parse("mailto:*", ""));
    EXPECT_FALSE(list("mailto:*@example.org").empty());
}

TEST(Target, AddressesOfTheInternetArePublic) {
    for (const auto* address : {"1.1.1.1", "8.8.8.8", "172.15.255.255", "172.32.0.0", "100.63.0.1",
                                "100.128.0.1", "192.167.0.1", "223.255.255.255", "2606:4700::1111",
                                "2a00:1450:4001::1", "::ffff:8.8.8.8"}) {
        EXPECT_TRUE(is_public(address)) << address;
    }
}

TEST(Target, AllOthersAreNot) {
    for (const auto* address : {"0.0.0.0",
                                "0.1.2.3",
                                "10.0.0.1",
                                "10.255.255.255",
                                "100.64.0.1",
                                "100.127.255.255",
                                "127.0.0.1",
                                "127.255.255.254",
                                "169.254.169.254",
                                "172.16.0.1",
                                "172.31.255.255",
                                "192.0.0.1",
                                "192.0.2.1",
                                "192.168.0.1",
                                "192.168.255.255",
                                "198.18.0.1",
                                "198.19.255.255",
                                "198.51.100.1",
                                "203.0.113.1",
                                "224.0.0.1",
                                "239.255.255.255",
                                "240.0.0.1",
                                "255.255.255.255",
                                "::",
                                "::1",
                                "::127.0.0.1",
                                "::ffff:127.0.0.1",
                                "::ffff:10.0.0.1",
                                "::ffff:169.254.169.254",
                                "64:ff9b::7f00:1",
                                "64:ff9b:1::1",
                                "100::1",
                                "2001::1",
                                "2001:db8::1",
                                "2002:7f00:1::",
                                "3fff::1",
                                "fc00::1",
                                "fd12:3456::1",
                                "fe80::1",
                                "fec0::1",
                                "ff02::1"}) {
        EXPECT_FALSE(is_public(address)) << address;
        EXPECT_FALSE(list("https://example.com").allows(boost::asio::ip::make_address(address)))
            << address;
    }
}

TEST(AllowList, AllowsExactlyTheOrigin) {
    const auto allowed = list("https://hooks.example.com, http://127.0.0.1:9000");
    EXPECT_TRUE(allows(allowed, "https://hooks.example.com/any?thing"));
    EXPECT_TRUE(allows(allowed, "https://HOOKS.example.com:443/"));
    EXPECT_TRUE(allows(allowed, "http://127.0.0.1:9000/"));
    for (const auto* url :
         {"http://hooks.example.com/", "https://hooks.example.com:8443/", "https://example.com/",
          "https://a.hooks.example.com/", "https://hooks.example.com.evil.org/",
          "https://evil-hooks.example.com/", "https://hooks.example.com./",
          "https://hooks.example.com@evil.org/", "https://evil.org/?hooks.example.com",
          "http://2130706433:9000/", "http://0x7f.1:9000/", "http://127.1:9000/",
          "http://[::ffff:127.0.0.1]:9000/", "http://localhost:9000/", "http://127.0.0.1/"}) {
        EXPECT_FALSE(allows(allowed, url)) << url;
    }
    EXPECT_TRUE(list("").empty());
    EXPECT_FALSE(allows(list(""), "https://example.com/"));
}

TEST(AllowList, AStarIsAnySubdomain) {
    const auto allowed = list("https://*.example.com:8443");
    EXPECT_TRUE(allows(allowed, "https://a.example.com:8443/"));
    EXPECT_TRUE(allows(allowed, "https://a.b.example.com:8443/"));
    EXPECT_FALSE(allows(allowed, "https://example.com:8443/"));
    EXPECT_FALSE(allows(allowed, "https://badexample.com:8443/"));
}

TEST(AllowList, ListedNetworksMayBePrivate) {
    const auto allowed = list("https://example.com", "10.1.2.0/24,fd00::/8");
    const auto may = [&](const char* address) {
        return allowed.allows(boost::asio::ip::make_address(address));
    };
    EXPECT_TRUE(may("10.1.2.3"));
    EXPECT_TRUE(may("::ffff:10.1.2.3"));
    EXPECT_TRUE(may("fd12::1"));
    EXPECT_TRUE(may("8.8.8.8"));
    EXPECT_FALSE(may("10.1.3.3"));
    EXPECT_FALSE(may("127.0.0.1"));
    EXPECT_FALSE(may("fe80::1"));
}

TEST(AllowList, InvalidEntriesAreNamed) {
    for (const auto* origins : {"example.com", "https://example.com/path", "https://*",
                                "https://example.com/", "ftp://example.com", "https://*.a.com,x"}) {
        EXPECT_FALSE(AllowList::parse(origins, "")) << origins;
    }
    const auto wrong = AllowList::parse("", "10.0.0.0/8, 10.0.0.300/8");
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().message.find("10.0.0.300/8"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::outbound
