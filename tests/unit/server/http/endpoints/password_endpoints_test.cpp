#include "server/identity/secret.hpp"
#include "tests/unit/server/http/live/live_server.hpp"

#include <algorithm>
#include <ctime>
#include <string>

namespace plimsoll::http::test {
namespace {

using nlohmann::json;

constexpr auto kBoat = "a boat that floats";
constexpr auto kHorse = "the horse of yesterday";

class PasswordEndpoints : public LiveServer {
  protected:
    struct SignedIn {
        std::string cookie;
        std::string csrf;
    };

    auto try_password(const std::string& user, const std::string& password) {
        const json body = {{"credentials", {{"user", user}, {"password", password}}}};
        return call("createSession", {"POST", "/v1/sessions", {}, body.dump()});
    }
    SignedIn open(const json& with) {
        const auto response = call("createSession", {"POST", "/v1/sessions", {}, with.dump()});
        EXPECT_EQ(response.status, 201) << response.body;
        const auto cookie = response.header("set-cookie");
        return {cookie.substr(0, cookie.find(';')), response.json().at("csrf_token")};
    }
    static Sent with(const SignedIn& session, Sent sent) {
        sent.headers.emplace_back("Cookie", session.cookie);
        sent.headers.emplace_back("X-CSRF-Token", session.csrf);
        return sent;
    }
    auto set(const SignedIn& session, const json& body) {
        return call("setMyPassword",
                    with(session, {"PUT", "/v1/users/me/password", {}, body.dump()}));
    }
    json make_link(const std::string& user) {
        const auto made = call("createPasswordLink", {"POST", "/v1/password-links", identity_.ada,
                                                      json{{"user_id", user}}.dump()});
        EXPECT_EQ(made.status, 201) << made.body;
        return made.json();
    }
    auto spend(const std::string& secret, const std::string& password, bool end_tokens = false) {
        json body = {{"password_token", secret}, {"password", password}};
        if (end_tokens) body["end_tokens"] = true;
        return call("spendPasswordLink", {"POST", "/v1/passwords", {}, body.dump()});
    }
    std::string id_of(const std::string& token) {
        return call("getMe", {"GET", "/v1/users/me", token}).json().at("user").at("id");
    }
};

TEST_F(PasswordEndpoints, AUserSetsAPasswordAndSignsInWithIt) {
    const auto session = open({{"sign_in_token", identity_.link}});
    const auto state = [&] {
        return call("getMyPassword", with(session, {"GET", "/v1/users/me/password"})).json();
    };
    EXPECT_FALSE(state().at("is_set"));
    EXPECT_EQ(state().at("min_length"), 12);
    EXPECT_EQ(set(session, {{"password", kBoat}}).status, 204);
    EXPECT_TRUE(state().at("is_set"));
    EXPECT_EQ(try_password("ada", kBoat).status, 201);
    EXPECT_EQ(try_password("ada", "a boat that sinks").status, 401);
}

TEST_F(PasswordEndpoints, AChangeNeedsTheCurrentPassword) {
    const auto session = open({{"sign_in_token", identity_.link}});
    ASSERT_EQ(set(session, {{"password", kBoat}}).status, 204);
    const auto missing = set(session, {{"password", kHorse}});
    EXPECT_EQ(missing.status, 422);
    EXPECT_EQ(missing.json().at("errors")[0].at("pointer"), "/present_password");
    const auto wrong = set(session, {{"password", kHorse}, {"present_password", kHorse}});
    EXPECT_EQ(wrong.status, 422) << "a 401 would end the session in a browser";
    EXPECT_EQ(wrong.json().at("errors")[0].at("pointer"), "/present_password");
    const auto other = open({{"credentials", {{"user", "ada"}, {"password", kBoat}}}});
    EXPECT_EQ(set(session, {{"password", kHorse}, {"present_password", kBoat}}).status, 204);
    EXPECT_EQ(try_password("ada", kBoat).status, 401);
    EXPECT_EQ(try_password("ada", kHorse).status, 201);
    EXPECT_EQ(call("getMe", with(session, {"GET", "/v1/users/me"})).status, 200);
    EXPECT_EQ(call("getMe", with(other, {"GET", "/v1/users/me"})).status, 401);
    EXPECT_EQ(call("getMe", {"GET", "/v1/users/me", identity_.ada}).status, 200) << "a token";
}

TEST_F(PasswordEndpoints, NewPasswordsFollowTheRules) {
    const auto session = open({{"sign_in_token", identity_.link}});
    for (const auto& password : {std::string("too short"), std::string(257, 'x')}) {
        const auto refused = set(session, {{"password", password}});
        EXPECT_EQ(refused.status, 422);
        EXPECT_EQ(refused.json().at("errors")[0].at("pointer"), "/password");
    }
}

TEST_F(PasswordEndpoints, TokensCannotSetAFirstPasswordNorLimitedOnesAny) {
    const auto put = [&](const std::string& token) {
        return call("setMyPassword",
                    {"PUT", "/v1/users/me/password", token, json{{"password", kBoat}}.dump()})
            .status;
    };
    EXPECT_EQ(put(identity_.ada), 409);
    EXPECT_EQ(put(identity_.narrow), 403);
    EXPECT_EQ(set(open({{"token", identity_.ada}}), {{"password", kBoat}}).status, 409);
}

TEST_F(PasswordEndpoints, ALinkSetsAPasswordOnce) {
    const auto link = make_link(id_of(identity_.vera));
    const std::string secret = link.at("password_token");
    EXPECT_EQ(link.at("path"), "/#/set-password/" + secret);
    EXPECT_EQ(spend(secret, "too short").status, 422) << "and the link stays good";
    EXPECT_EQ(spend(secret, kBoat).status, 204);
    EXPECT_EQ(spend(secret, kHorse).status, 401);
    EXPECT_EQ(try_password("vera", kBoat).status, 201);
    EXPECT_EQ(call("createPasswordLink", {"POST", "/v1/password-links", identity_.tom,
                                          json{{"user_id", id_of(identity_.vera)}}.dump()})
                  .status,
              403);
    EXPECT_EQ(call("createPasswordLink",
                   {"POST", "/v1/password-links", identity_.ada, R"({"user_id":"user_x"})"})
                  .status,
              404);
}

TEST_F(PasswordEndpoints, ALinkEndsTokensOnlyIfAsked) {
    const auto vera = id_of(identity_.vera);
    ASSERT_EQ(spend(make_link(vera).at("password_token"), kBoat).status, 204);
    EXPECT_EQ(id_of(identity_.vera), vera);
    ASSERT_EQ(spend(make_link(vera).at("password_token"), kBoat, true).status, 204);
    EXPECT_EQ(call("getMe", {"GET", "/v1/users/me", identity_.vera}).status, 401);
    EXPECT_EQ(call("getMe", {"GET", "/v1/users/me", identity_.ada}).status, 200);
}

TEST_F(PasswordEndpoints, WhoHasSignedInIsNotKeptOutByOthersOfTheNetwork) {
    ASSERT_EQ(spend(make_link(id_of(identity_.vera)).at("password_token"), kBoat).status, 204);
    ASSERT_EQ(try_password("vera", kBoat).status, 201);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(try_password("nobody " + std::to_string(i), kHorse).status, 401);
    EXPECT_EQ(try_password("nobody else", kHorse).status, 429);
    EXPECT_EQ(try_password("vera", kBoat).status, 201);
}

TEST_F(PasswordEndpoints, LinksServeOnlyTheirPurpose) {
    EXPECT_EQ(spend(identity_.link, kBoat).status, 401);
    const std::string secret = make_link(id_of(identity_.vera)).at("password_token");
    EXPECT_EQ(
        call("createSession", {"POST", "/v1/sessions", {}, json{{"sign_in_token", secret}}.dump()})
            .status,
        401);
    EXPECT_EQ(spend(secret, kBoat).status, 204);
}

TEST_F(PasswordEndpoints, AnUnknownNameLooksLikeAWrongPassword) {
    ASSERT_EQ(spend(make_link(id_of(identity_.vera)).at("password_token"), kBoat).status, 204);
    const auto shown = [&](const std::string& user) {
        auto body = try_password(user, kHorse).json();
        body.erase("request_id");
        return body;
    };
    EXPECT_EQ(shown("vera"), shown("nobody"));
    EXPECT_EQ(shown("vera"), shown("ada")) << "who has no password";
    EXPECT_EQ(shown("vera").at("status"), 401);
}

// Processor time, because a busy machine stretches any other. The least of a few, in turn.
TEST_F(PasswordEndpoints, TheWorkDoesNotRevealWhoHasAPassword) {
    ASSERT_EQ(set(open({{"sign_in_token", identity_.link}}), {{"password", kBoat}}).status, 204);
    const auto work_of = [&](const std::string& user) {
        const auto before = std::clock();
        EXPECT_EQ(try_password(user, kHorse).status, 401);
        return static_cast<double>(std::clock() - before);
    };
    double known = HUGE_VAL;
    double unknown = HUGE_VAL;
    for (int i = 0; i < 4; ++i) {
        known = std::min(known, work_of("ada"));
        unknown = std::min(unknown, work_of("nobody"));
    }
    EXPECT_GT(unknown, known * 0.7);
    EXPECT_LT(unknown, known * 1.4);
}

// Five wrong ones are below what the address may do, so it is the name that waits.
TEST_F(PasswordEndpoints, GuessesForOneNameAreDelayed) {
    for (const auto* user : {"vera", "nobody"}) {
        int status = 401;
        for (int i = 0; i < 5 && status == 401; ++i) status = try_password(user, kHorse).status;
        EXPECT_EQ(status, 401);
        if (std::string(user) == "nobody") break;  // the address must wait, too, from here on
        prolong_waits();
        const auto held = try_password(user, kHorse);
        EXPECT_EQ(held.status, 429);
        EXPECT_FALSE(held.header("retry-after").empty());
        EXPECT_EQ(held.header("ratelimit-policy"), R"("password-attempts";q=1;w=300)");
    }
}

TEST_F(PasswordEndpoints, AUserInNoTeamGetsTheReason) {
    const auto made =
        call("createUser", {"POST", "/v1/users", identity_.ada, R"({"name":"newt"})"});
    ASSERT_EQ(spend(make_link(made.json().at("id")).at("password_token"), kBoat).status, 204);
    EXPECT_EQ(try_password("newt", kBoat).status, 403);
}

}  // namespace
}  // namespace plimsoll::http::test
