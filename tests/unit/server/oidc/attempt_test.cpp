#include "server/oidc/attempt.hpp"

#include "server/identity/secret.hpp"
#include "server/oidc/discovery.hpp"
#include "server/oidc/encoding.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::oidc {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

const std::string kKey(identity::kSealKeyBytes, 'k');
const Timestamp kBegun{1'900'000'000s};

TEST(Attempt, ContinuesOnlyWithItsCookie) {
    const auto begun = begin_attempt(kKey, kBegun);
    const auto back = continue_attempt(kKey, begun.cookie, kBegun + kAttemptLife - 1s);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->state, begun.state);
    EXPECT_EQ(back->nonce, begun.nonce);
    EXPECT_EQ(back->verifier, begun.verifier);
    EXPECT_EQ(back->expires_at, begun.expires_at);
    EXPECT_FALSE(continue_attempt(kKey, begun.cookie, kBegun + kAttemptLife));
}

TEST(Attempt, NobodyElseCanMakeACookie) {
    const auto begun = begin_attempt(kKey, kBegun);
    EXPECT_FALSE(continue_attempt(std::string(identity::kSealKeyBytes, 'x'), begun.cookie, kBegun));
    EXPECT_FALSE(continue_attempt(kKey, "", kBegun));
    EXPECT_FALSE(continue_attempt(kKey, begun.cookie.substr(1), kBegun));
    EXPECT_FALSE(continue_attempt(kKey, identity::seal(kKey, "listJobs", "1900000600.x"), kBegun))
        << "a cursor";
}

TEST(Attempt, EachDiffersAndRevealsNothing) {
    const auto one = begin_attempt(kKey, kBegun);
    const auto two = begin_attempt(kKey, kBegun);
    EXPECT_NE(one.state, two.state);
    EXPECT_NE(one.state, one.nonce);
    EXPECT_NE(one.nonce, one.verifier);
    EXPECT_EQ(one.verifier.size(), 43u) << "the least that PKCE allows, of 256 bits";
    const auto sealed = identity::unseal(kKey, "provider sign-in", one.cookie).value();
    EXPECT_EQ(sealed.find(one.verifier), std::string::npos);
}

// RFC 7636, appendix B.
TEST(Attempt, TheChallengeIsThatOfTheStandard) {
    EXPECT_EQ(challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
              "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

TEST(Encoding, IsStrict) {
    EXPECT_EQ(from_base64url(to_base64url(std::string("\0\xff x", 4))), std::string("\0\xff x", 4));
    for (const auto* text : {"AA==", "A", "A+", "A/", "AB", " AA", "AA ", "z\xa2g"})
        EXPECT_FALSE(from_base64url(text)) << text;
    EXPECT_EQ(escaped("a b&c=d/é~-._"), "a%20b%26c%3Dd%2F%C3%A9~-._");
}

constexpr auto kIssuer = "https://login.example.com/tenant";

json document() {
    return {{"issuer", kIssuer},
            {"authorization_endpoint", "https://login.example.com/authorize"},
            {"token_endpoint", "https://login.example.com/token"},
            {"jwks_uri", "https://keys.example.com/keys"},
            {"response_types_supported", {"code", "id_token"}},
            {"id_token_signing_alg_values_supported", {"RS256"}}};
}

json changed(const char* name, json value) {
    auto other = document();
    other[name] = std::move(value);
    return other;
}

TEST(Discovery, IsRead) {
    EXPECT_EQ(discovery_url(kIssuer), std::string(kIssuer) + "/.well-known/openid-configuration");
    EXPECT_EQ(discovery_url("https://login.example.com/"),
              "https://login.example.com/.well-known/openid-configuration");
    const auto found = parse_discovery(document().dump(), kIssuer).value();
    EXPECT_EQ(found.jwks_uri, "https://keys.example.com/keys");
    EXPECT_EQ(found.userinfo_endpoint, "");
    EXPECT_EQ(found.end_session_endpoint, "");
    const auto url = "https://login.example.com/logout";
    EXPECT_EQ(
        parse_discovery(changed("end_session_endpoint", url).dump(), kIssuer)->end_session_endpoint,
        url);
    EXPECT_TRUE(found.basic);
    EXPECT_FALSE(found.names_itself);
    constexpr auto kMethods = "token_endpoint_auth_methods_supported";
    EXPECT_FALSE(parse_discovery(changed(kMethods, {"client_secret_post"}).dump(), kIssuer)->basic);
    constexpr auto kNames = "authorization_response_iss_parameter_supported";
    EXPECT_TRUE(parse_discovery(changed(kNames, true).dump(), kIssuer)->names_itself);
}

TEST(Discovery, WhatCannotBeUsedIsRefused) {
    for (const auto& other :
         {json(), json::array(), changed("issuer", "https://evil.example"),
          changed("issuer", std::string(kIssuer) + '/'), changed("token_endpoint", json()),
          changed("token_endpoint", "http://login.example.com/token"),
          changed("authorization_endpoint", "javascript:alert(1)"), changed("jwks_uri", "/keys"),
          changed("userinfo_endpoint", "file:///etc/passwd"),
          changed("end_session_endpoint", "javascript:alert(1)"),
          changed("response_types_supported", {"id_token"}),
          changed("code_challenge_methods_supported", {"plain"}),
          changed("id_token_signing_alg_values_supported", {"HS256", "none"})}) {
        EXPECT_FALSE(parse_discovery(other.dump(), kIssuer)) << other;
    }
    EXPECT_FALSE(parse_discovery("<html>", kIssuer));
}

}  // namespace
}  // namespace plimsoll::oidc
