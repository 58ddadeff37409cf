// What an ID token must be, and every way in which a forged one differs from it.
#include "server/oidc/id_token.hpp"

#include "tests/unit/server/oidc/signer.hpp"

#include <gtest/gtest.h>
#include <openssl/hmac.h>

namespace plimsoll::oidc {
namespace {

using nlohmann::json;
using test::Signer;

constexpr std::int64_t kNow = 1'900'000'000;
// The example of OpenID Connect Core 1.0, 3.1.2.5: the access token whose at_hash the specification
// gives.
constexpr auto kAccessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
constexpr auto kAccessHash = "77QmUPtjPfzWtF2AnpK9RQ";

class IdToken : public testing::Test {
  protected:
    static json claims() {
        return {{"iss", "https://login.example.com"}, {"aud", "plimsoll"}, {"sub", "248289761001"},
                {"nonce", "a nonce of this browser"}, {"iat", kNow - 5},   {"exp", kNow + 300}};
    }
    static json with(const char* name, json value) {
        auto changed = claims();
        changed[name] = std::move(value);
        return changed;
    }
    static json without(const char* name) {
        auto changed = claims();
        changed.erase(name);
        return changed;
    }

    // Why the token is refused; empty: it is accepted.
    std::string refusal(const std::string& text) const {
        const auto token = read_token(text);
        if (!token) return token.error().message;
        const auto good = check_id_token(*token, keys_, expected_);
        return good ? std::string() : good.error().message;
    }
    std::string refusal(const json& changed) const { return refusal(rsa_.token(changed)); }

    inline static const Signer rsa_ = Signer::rsa("one");
    inline static const Signer ec_ = Signer::ec("two");
    inline static const std::vector<Key> keys_ = parse_keys(test::set_of({rsa_, ec_})).value();
    Expectation expected_{"https://login.example.com", "plimsoll", "a nonce of this browser",
                          kAccessToken, Timestamp(std::chrono::seconds(kNow))};
};

TEST_F(IdToken, BothAlgorithmsAreAccepted) {
    EXPECT_EQ(refusal(claims()), "");
    EXPECT_EQ(refusal(ec_.token(claims())), "");
    EXPECT_EQ(refusal(rsa_.token({{"alg", "RS256"}}, claims())), "") << "it need not name its key";
    EXPECT_EQ(refusal(with("at_hash", kAccessHash)), "");
    EXPECT_EQ(refusal(with("aud", json::array({"plimsoll"}))), "");
}

TEST_F(IdToken, AnUnsignedTokenIsRefused) {
    const auto body = to_base64url(claims().dump());
    for (const auto* algorithm : {"none", "None", "NONE", ""}) {
        const auto head = to_base64url(json({{"alg", algorithm}}).dump());
        EXPECT_NE(refusal(head + '.' + body + '.'), "") << algorithm;
        EXPECT_NE(refusal(head + '.' + body + ".AAAA"), "") << algorithm;
    }
    const auto signed_one = rsa_.token(claims());
    EXPECT_NE(refusal(signed_one.substr(0, signed_one.rfind('.') + 1)), "");
}

// The public key as the secret of HS256: what libraries fell for that let the token choose.
TEST_F(IdToken, APublicKeyIsNoSecret) {
    const auto message =
        to_base64url(R"({"alg":"HS256","kid":"one"})") + '.' + to_base64url(claims().dump());
    for (const auto& secret : {rsa_.public_pem(), rsa_.jwk().dump(),
                               from_base64url(rsa_.jwk()["n"].get<std::string>()).value()}) {
        std::string mac(32, '\0');
        unsigned size = 0;
        HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
             reinterpret_cast<const unsigned char*>(message.data()), message.size(),
             reinterpret_cast<unsigned char*>(mac.data()), &size);
        EXPECT_NE(refusal(message + '.' + to_base64url(mac)), "");
    }
}

TEST_F(IdToken, AnotherKeyIsRefused) {
    EXPECT_NE(refusal(Signer::rsa("one").token(claims())), "") << "another key of the same name";
    EXPECT_NE(refusal(Signer::ec("two").token(claims())), "");
    EXPECT_NE(refusal(rsa_.token({{"alg", "ES256"}, {"kid", "one"}}, claims())), "");
    EXPECT_NE(refusal(rsa_.token({{"alg", "RS256"}, {"kid", "two"}}, claims())), "");
    const auto unknown = Signer::rsa("three").token(claims());
    EXPECT_FALSE(has_key(keys_, *read_token(unknown)));
    EXPECT_NE(refusal(unknown), "");
}

// A key that comes with the token proves nothing.
TEST_F(IdToken, AKeyInTheTokenIsNotUsed) {
    const auto forger = Signer::rsa("one");
    auto head = forger.header();
    head["jwk"] = forger.jwk();
    head["jku"] = "https://evil.example/keys";
    EXPECT_NE(refusal(forger.token(head, claims())), "");
}

TEST_F(IdToken, ChangedContentIsRefused) {
    const auto token = rsa_.token(claims());
    const auto first = token.find('.');
    const auto last = token.rfind('.');
    EXPECT_NE(refusal(token.substr(0, first + 1) + to_base64url(with("sub", "root").dump()) +
                      token.substr(last)),
              "");
    auto ec = ec_.token(claims());
    EXPECT_NE(refusal(ec.substr(0, ec.rfind('.') + 1) + to_base64url(std::string(64, '\0'))), "")
        << "two zeros, which verified everything in Java";
    EXPECT_NE(refusal(ec.substr(0, ec.rfind('.') + 1) + to_base64url(std::string(63, 'x'))), "");
}

TEST_F(IdToken, MalformedTokensAreRefused) {
    const auto good = rsa_.token(claims());
    for (const auto& text :
         {std::string(), std::string("."), std::string(".."), std::string("a.b.c"), good + '.',
          good + '=', ' ' + good, good.substr(good.find('.') + 1), good + ".x"}) {
        EXPECT_NE(refusal(text), "") << text;
    }
    EXPECT_NE(refusal(rsa_.token(json::array(), claims())), "");
    EXPECT_NE(refusal(rsa_.token(rsa_.header(), json::array())), "");
    auto critical = rsa_.header();
    critical["crit"] = {"exp"};
    EXPECT_NE(refusal(rsa_.token(critical, claims())), "");
}

TEST_F(IdToken, TokensForOthersAreRefused) {
    EXPECT_NE(refusal(with("iss", "https://login.example.org")), "");
    EXPECT_NE(refusal(with("iss", "https://login.example.com/")), "");
    EXPECT_NE(refusal(without("iss")), "");
    EXPECT_NE(refusal(with("aud", "another client")), "");
    EXPECT_NE(refusal(with("aud", json::array())), "");
    EXPECT_NE(refusal(without("aud")), "");
    EXPECT_NE(refusal(with("aud", json::array({"plimsoll", "another"}))), "") << "issued to whom?";
    auto many = with("aud", json::array({"plimsoll", "another"}));
    many["azp"] = "plimsoll";
    EXPECT_EQ(refusal(many), "");
    EXPECT_NE(refusal(with("azp", "another")), "");
    EXPECT_NE(refusal(with("azp", json())), "");
    for (const auto& subject :
         {json(""), json(17), json(std::string(256, 'x')), json(std::string("a\0b", 3))}) {
        EXPECT_NE(refusal(with("sub", subject)), "");
    }
    EXPECT_NE(refusal(without("sub")), "");
}

TEST_F(IdToken, TheNonceIsThatOfThisBrowser) {
    EXPECT_NE(refusal(with("nonce", "another")), "");
    EXPECT_NE(refusal(without("nonce")), "");
    expected_.nonce = "";
    EXPECT_NE(refusal(with("nonce", "")), "");
}

TEST_F(IdToken, TheAccessTokenIsTheOneThatCameWithIt) {
    EXPECT_NE(refusal(with("at_hash", "77QmUPtjPfzWtF2AnpK9RA")), "");
    EXPECT_NE(refusal(with("at_hash", json())), "");
    expected_.access_token = "another";
    EXPECT_NE(refusal(with("at_hash", kAccessHash)), "");
}

TEST_F(IdToken, ClocksMayDifferByAMinute) {
    const auto skew = kClockSkew.count();
    EXPECT_EQ(refusal(with("exp", kNow - skew + 1)), "");
    EXPECT_NE(refusal(with("exp", kNow - skew)), "");
    EXPECT_EQ(refusal(with("iat", kNow + skew)), "");
    EXPECT_NE(refusal(with("iat", kNow + skew + 1)), "");
    EXPECT_EQ(refusal(with("nbf", kNow + skew)), "");
    EXPECT_NE(refusal(with("nbf", kNow + skew + 1)), "");
    EXPECT_NE(refusal(with("nbf", "soon")), "");
    EXPECT_NE(refusal(without("exp")), "");
    EXPECT_NE(refusal(without("iat")), "");
    EXPECT_NE(refusal(with("exp", std::to_string(kNow + 300))), "");
}

TEST(Keys, OnlySafeKeysAreUsed) {
    const auto good = Signer::rsa("good");
    const auto only = [&](json key) {
        return parse_keys(json({{"keys", json::array({std::move(key), good.jwk()})}}).dump())
            .value()
            .size();
    };
    EXPECT_EQ(only(Signer::ec("another").jwk()), 2u);
    EXPECT_EQ(only(Signer::rsa("short", 1024).jwk()), 1u);
    auto encrypts = Signer::rsa("encrypts").jwk();
    encrypts["use"] = "enc";
    EXPECT_EQ(only(encrypts), 1u);
    auto weak = Signer::rsa("weak").jwk();
    weak["alg"] = "RS1";
    EXPECT_EQ(only(weak), 1u);
    auto off_curve = Signer::ec("off the curve").jwk();
    off_curve["y"] = off_curve["x"];
    EXPECT_EQ(only(off_curve), 1u);
    EXPECT_EQ(only({{"kty", "oct"}, {"k", "c2VjcmV0"}, {"alg", "HS256"}}), 1u);
    for (const auto& other : {json(), json("text"), json::array(), json({{"kty", "RSA"}}),
                              json({{"kty", "RSA"}, {"n", "!"}, {"e", "AQAB"}})}) {
        EXPECT_EQ(only(other), 1u) << other;
    }
}

TEST(Keys, ASetWithoutKeysIsInvalid) {
    for (const auto* text : {"", "[]", "{}", R"({"keys": {}})", R"({"keys": []})"})
        EXPECT_FALSE(parse_keys(text)) << text;
    const std::vector<json> many(1000, Signer::rsa("one").jwk());
    EXPECT_EQ(parse_keys(json({{"keys", many}}).dump()).value().size(), kMaxKeys);
}

}  // namespace
}  // namespace plimsoll::oidc
