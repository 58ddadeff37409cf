#include "server/identity/totp.hpp"
#include "server/postgres/cluster/embedded_settings.hpp"
#include "tests/unit/server/http/live/live_server.hpp"

#include <string>

namespace plimsoll::http::test {
namespace {

using nlohmann::json;

constexpr auto kPassword = "a boat that floats";
constexpr auto kPath = "/v1/users/me/second-factor";

// The server's statements find a clock of the database that stands in the middle of a step, an hour
// ago.
class StandingClock {
  protected:
    StandingClock() {
        constexpr auto kStep = identity::kCodeStep.count();
        conformance::Cluster::get().execute(
            "create schema standing; grant usage on schema standing to public; "
            "create function standing.clock_timestamp() returns timestamptz language sql as "
            "'select to_timestamp(" +
            std::to_string(step_ * kStep + kStep / 2) + ")'; " + kDatabase +
            " set search_path = standing, pg_catalog");
    }
    ~StandingClock() {
        conformance::Cluster::get().execute(kDatabase +
                                            " reset search_path; "
                                            "drop schema standing cascade");
    }

    const std::int64_t step_ = identity::code_step(SystemClock().now() - std::chrono::hours(1));

  private:
    const std::string kDatabase = std::string("alter database ") + postgres::kEmbeddedDatabase;
};

// With the user ada, who has a password. The codes of three steps are good, each of them once.
class SecondFactorEndpoints : private StandingClock, public LiveServer {
  protected:
    void SetUp() override {
        LiveServer::SetUp();
        const auto link = call("createPasswordLink", {"POST", "/v1/password-links", identity_.ada,
                                                      json{{"user_id", ada()}}.dump()});
        const json body = {{"password_token", link.json().at("password_token")},
                           {"password", kPassword}};
        ASSERT_EQ(call("spendPasswordLink", {"POST", "/v1/passwords", {}, body.dump()}).status,
                  204);
    }
    std::string ada() {
        return call("getMe", {"GET", "/v1/users/me", identity_.ada}).json().at("user").at("id");
    }
    auto offer(const std::string& password) {
        return call("offerMySecondFactor",
                    {"PUT", kPath, identity_.ada, json{{"present_password", password}}.dump()});
    }
    auto confirm(const std::string& code) {
        return call("confirmMySecondFactor", {"PUT", std::string(kPath) + "/confirmation",
                                              identity_.ada, json{{"code", code}}.dump()});
    }
    auto remove(const std::string& code) {
        return call("removeMySecondFactor", {"POST", std::string(kPath) + "/removal", identity_.ada,
                                             json{{"code", code}}.dump()});
    }
    auto state() { return call("getMySecondFactor", {"GET", kPath, identity_.ada}).json(); }
    auto sign_in(const std::string& code, const std::string& password = kPassword) {
        json credentials = {{"user", "ada"}, {"password", password}};
        if (!code.empty()) credentials["code"] = code;
        return call("createSession",
                    {"POST", "/v1/sessions", {}, json{{"credentials", credentials}}.dump()});
    }

    // As an authenticator app reads it, of the step `away` from the server's.
    std::string code_of(const json& offered, int away) {
        const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        std::string secret;
        unsigned pending = 0;
        int bits = 0;
        for (const char c : offered.at("secret").get<std::string>()) {
            pending = pending << 5 | static_cast<unsigned>(digits.find(c));
            if ((bits += 5) >= 8) secret += static_cast<char>(pending >> (bits -= 8) & 255);
        }
        return identity::code_of(secret, step_ + away);
    }
    // Adds one with the earliest code that is good; its recovery codes.
    json add() {
        offered_ = offer(kPassword).json();
        const auto confirmed = confirm(code_of(offered_, -1));
        EXPECT_EQ(confirmed.status, 200) << confirmed.body;
        return confirmed.json().at("recovery_codes");
    }

    json offered_;
};

TEST_F(SecondFactorEndpoints, APasswordAloneIsNotEnoughOnceItIsConfirmed) {
    EXPECT_EQ(state().at("is_set"), false);
    const auto wrong = offer("the horse of yesterday");
    EXPECT_EQ(wrong.status, 422);
    EXPECT_EQ(wrong.json().at("errors").at(0).at("pointer"), "/present_password");
    const auto offered = offer(kPassword);
    EXPECT_EQ(offered.status, 200) << offered.body;
    EXPECT_EQ(sign_in("").status, 201) << "it was offered only";
    EXPECT_EQ(confirm("000000").status, 422);
    EXPECT_EQ(confirm(code_of(offered.json(), 0)).status, 200);
    EXPECT_EQ(state().at("is_set"), true);
    EXPECT_EQ(state().at("recovery_codes_left"), identity::kRecoveryCodes);

    const auto needed = sign_in("");
    EXPECT_EQ(needed.status, 401);
    EXPECT_EQ(needed.json().at("type"), "/docs/problems/second-factor-needed");
    EXPECT_EQ(needed.json().at("errors").at(0).at("pointer"), "/credentials/code");
    EXPECT_EQ(sign_in(code_of(offered.json(), 1)).status, 201);
}

TEST_F(SecondFactorEndpoints, NoCodeWorksTwice) {
    add();
    EXPECT_EQ(sign_in(code_of(offered_, -1)).status, 401) << "it confirmed the factor";
    EXPECT_EQ(sign_in(code_of(offered_, 0)).status, 201);
    const auto again = sign_in(code_of(offered_, 0));
    EXPECT_EQ(again.status, 401);
    EXPECT_EQ(again.json().at("type"), "/docs/problems/unauthenticated");
    EXPECT_EQ(sign_in(code_of(offered_, 1)).status, 201);
}

TEST_F(SecondFactorEndpoints, ARecoveryCodeWorksOnce) {
    const auto codes = add();
    EXPECT_EQ(sign_in(codes.at(3)).status, 201);
    EXPECT_EQ(sign_in(codes.at(3)).status, 401);
    EXPECT_EQ(state().at("recovery_codes_left"), identity::kRecoveryCodes - 1);
}

TEST_F(SecondFactorEndpoints, WrongCodesAreDelayedLikeWrongPasswords) {
    add();
    for (int i = 0; i < identity::kFreePasswordAttempts; ++i)
        EXPECT_EQ(sign_in("000000").status, 401) << i;
    prolong_waits();
    EXPECT_EQ(sign_in(code_of(offered_, 0)).status, 429);
}

TEST_F(SecondFactorEndpoints, AWrongPasswordDoesNotRevealTheFactor) {
    add();
    const auto refused = sign_in("", "the horse of yesterday");
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(refused.json().at("type"), "/docs/problems/unauthenticated");
    EXPECT_FALSE(refused.json().contains("errors"));
}

TEST_F(SecondFactorEndpoints, ItsUserRemovesItWithACode) {
    EXPECT_EQ(remove("000000").status, 404);
    add();
    EXPECT_EQ(remove("000000").status, 422);
    EXPECT_EQ(state().at("is_set"), true);
    EXPECT_EQ(remove(code_of(offered_, 0)).status, 204);
    EXPECT_EQ(sign_in("").status, 201);
    const auto codes = add();
    EXPECT_EQ(remove(codes.at(0)).status, 204);
    EXPECT_EQ(state().at("is_set"), false);
}

TEST_F(SecondFactorEndpoints, CodesForRemovalAreDelayed) {
    add();
    for (int i = 0; i < identity::kFreePasswordAttempts; ++i)
        EXPECT_EQ(remove("000000").status, 422);
    prolong_waits();
    EXPECT_EQ(remove(code_of(offered_, 0)).status, 429);
}

TEST_F(SecondFactorEndpoints, ASystemAdminRemovesIt) {
    add();
    const auto reset = [&](const std::string& token) {
        return call("deleteUserSecondFactor",
                    {"DELETE", "/v1/users/" + ada() + "/second-factor", token})
            .status;
    };
    EXPECT_EQ(reset(identity_.vera), 403);
    EXPECT_EQ(reset(identity_.ada), 204);
    EXPECT_EQ(reset(identity_.ada), 404);
    EXPECT_EQ(sign_in("").status, 201);
}

TEST_F(SecondFactorEndpoints, OnlyFullTokensChangeIt) {
    const auto refused =
        call("offerMySecondFactor",
             {"PUT", kPath, identity_.narrow, json{{"present_password", kPassword}}.dump()});
    EXPECT_EQ(refused.status, 403);
}

}  // namespace
}  // namespace plimsoll::http::test
