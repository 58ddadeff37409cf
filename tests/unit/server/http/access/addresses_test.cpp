#include "server/http/access/allowed_hosts.hpp"
#include "server/http/access/network.hpp"

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

TEST(Network, IsTheAddressOrThe64) {
    EXPECT_EQ(network_of("192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(network_of("2001:db8:1:2:3:4:5:6"), network_of("2001:db8:1:2::1"));
    EXPECT_NE(network_of("2001:db8:1:2::1"), network_of("2001:db8:1:3::1"));
    EXPECT_EQ(network_of("::ffff:192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(network_of("fe80::1%eth0"), network_of("fe80::2"));
    EXPECT_EQ(network_of("not: an address"), "not: an address");
    EXPECT_EQ(network_of(""), "");
}

Request from(const std::string& address, std::vector<Header> headers) {
    Request request;
    request.remote_address = address;
    request.headers = std::move(headers);
    return request;
}

Request applied(Request request) {
    TrustedProxies::parse("10.0.0.5, 10.1.0.0/16, ::1").value().apply(request);
    return request;
}

TEST(TrustedProxies, AProxyNamesTheClientAndItsScheme) {
    const auto request = applied(
        from("10.0.0.5", {{"X-Forwarded-Proto", "https"}, {"X-Forwarded-For", "203.0.113.9"}}));
    EXPECT_TRUE(request.secure);
    EXPECT_EQ(request.remote_address, "203.0.113.9");
}

TEST(TrustedProxies, HeadersOfOtherClientsAreNotTrusted) {
    const auto request = applied(
        from("10.0.0.6", {{"X-Forwarded-Proto", "https"}, {"X-Forwarded-For", "203.0.113.9"}}));
    EXPECT_FALSE(request.secure);
    EXPECT_EQ(request.remote_address, "10.0.0.6");
}

TEST(TrustedProxies, TheLastAddressOutsideTheProxiesIsTheClients) {
    const auto request =
        applied(from("::1", {{"X-Forwarded-For", "127.0.0.1, 203.0.113.9, 10.1.2.3"},
                             {"X-Forwarded-For", "10.0.0.5"}}));
    EXPECT_EQ(request.remote_address, "203.0.113.9");
    EXPECT_EQ(applied(from("::1", {{"X-Forwarded-For", "nonsense"}})).remote_address, "::1");
    EXPECT_EQ(applied(from("::1", {})).remote_address, "::1");
}

TEST(TrustedProxies, AnIpv4ProxyIsItselfOnAnIpv6SocketToo) {
    EXPECT_TRUE(applied(from("::ffff:10.1.2.3", {{"X-Forwarded-Proto", "https"}})).secure);
    EXPECT_FALSE(applied(from("::ffff:10.2.2.3", {{"X-Forwarded-Proto", "https"}})).secure);
}

TEST(TrustedProxies, AnAmbiguousSchemeIsIgnored) {
    EXPECT_FALSE(
        applied(from("::1", {{"X-Forwarded-Proto", "https"}, {"X-Forwarded-Proto", "http"}}))
            .secure);
    EXPECT_FALSE(applied(from("::1", {{"X-Forwarded-Proto", "https, http"}})).secure);
    EXPECT_TRUE(applied(from("::1", {{"x-forwarded-proto", " HTTPS "}})).secure);
}

TEST(TrustedProxies, InvalidEntriesAreNamed) {
    EXPECT_TRUE(TrustedProxies::parse(""));
    for (const auto* text : {"proxy.example.com", "10.0.0.300", "10.0.0.0/33", "::1/200"}) {
        const auto parsed = TrustedProxies::parse(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_NE(parsed.error().message.find(text), std::string::npos);
    }
}

}  // namespace

}  // namespace plimsoll::http
