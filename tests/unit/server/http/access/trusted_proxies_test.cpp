#include "server/http/access/trusted_proxies.hpp"

#include <gtest/gtest.h>

namespace plimsoll::http {
namespace {

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
