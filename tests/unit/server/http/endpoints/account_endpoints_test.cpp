// Sessions, teams, service accounts, audit events: those of them that identity_endpoints_test.cpp
// does not sign in with.
#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

using nlohmann::json;

class AccountEndpoints : public LiveServer {
  protected:
    json me(const std::string& token) {
        return call("getMe", {"GET", "/v1/users/me", token}).json();
    }
    std::string team_of(const std::string& token) {
        return "/v1/teams/" + me(token).at("team").at("id").get<std::string>();
    }
    // Cookie and CSRF token of a session that this token opens.
    std::vector<std::pair<std::string, std::string>> session_of(const std::string& token) {
        const auto opened = call("createSession", {"POST",
                                                   "/v1/sessions",
                                                   {},
                                                   json{{"token", token}}.dump(),
                                                   {{"User-Agent", "a browser"}}});
        EXPECT_EQ(opened.status, 201) << opened.body;
        EXPECT_TRUE(opened.header("location").starts_with("/v1/sessions/sess_"));
        const auto cookie = opened.header("set-cookie");
        return {{"Cookie", cookie.substr(0, cookie.find(';'))},
                {"X-CSRF-Token", opened.json().at("csrf_token").get<std::string>()}};
    }
    json sessions(const std::string& token) {
        return call("listSessions", {"GET", "/v1/sessions", token}).json().at("items");
    }
    json make_account(const std::string& body) {
        const auto made =
            call("createServiceAccount", {"POST", "/v1/service-accounts", identity_.ada, body});
        EXPECT_EQ(made.status, 201) << made.body;
        return made.json();
    }
};

TEST_F(AccountEndpoints, SessionsAreListedAndEnded) {
    const auto ada = session_of(identity_.ada);
    const auto vera = session_of(identity_.vera);
    EXPECT_EQ(sessions(identity_.ada).size(), 2u) << "team admins see the team's";
    const auto own = sessions(identity_.vera);
    ASSERT_EQ(own.size(), 1u);
    EXPECT_EQ(own[0].at("user").at("name"), "vera");
    EXPECT_EQ(own[0].at("agent"), "a browser");
    EXPECT_EQ(own[0].at("current"), false);
    EXPECT_EQ(sessions(identity_.tom).size(), 0u);
    const auto path = "/v1/sessions/" + own[0].at("id").get<std::string>();
    const auto current = call("listSessions", {"GET", "/v1/sessions", {}, {}, vera}).json();
    EXPECT_EQ(current["items"][0].at("current"), true);
    EXPECT_EQ(call("deleteSession", {"DELETE", path, identity_.tom}).status, 404);
    EXPECT_EQ(call("deleteSession", {"DELETE", path, identity_.narrow}).status, 403);
    EXPECT_EQ(call("deleteSession", {"DELETE", path, identity_.ada}).status, 204);
    EXPECT_EQ(call("getMe", {"GET", "/v1/users/me", {}, {}, vera}).status, 401);
    EXPECT_EQ(call("getMe", {"GET", "/v1/users/me", {}, {}, ada}).status, 200);
}

TEST_F(AccountEndpoints, ATeamIsRenamedByTeamAdminsAndArchivedBySystemAdmins) {
    const auto own = team_of(identity_.ada);
    const auto others = team_of(identity_.tom);
    const auto update = [&](const std::string& team, const std::string& token,
                            const std::string& body) {
        return call("updateTeam", {"PATCH", team, token, body});
    };
    EXPECT_EQ(update(others, identity_.tom, R"({"name": "desk"})").json().at("name"), "desk");
    EXPECT_EQ(update(others, identity_.vera, R"({"name": "x"})").status, 403);
    EXPECT_EQ(update(own, identity_.tom, R"({"name": "x"})").status, 404);
    EXPECT_EQ(update(own, identity_.ada, R"({"name": "desk"})").status, 409);
    EXPECT_EQ(update(others, identity_.tom, R"({"archived": true})").status, 403);
    EXPECT_EQ(update(own, identity_.ada, R"({"archived": true})").status, 409);
    EXPECT_EQ(update(others, identity_.ada, R"({"archived": true})").json().at("archived"), true);
    EXPECT_EQ(call({"GET", "/v1/users/me", identity_.tom}).status, 401);
    EXPECT_EQ(update(others, identity_.ada, R"({"archived": false})").status, 200);
    EXPECT_EQ(call({"GET", "/v1/users/me", identity_.tom}).status, 200);
}

TEST_F(AccountEndpoints, AUserIsRemoved) {
    const auto vera = me(identity_.vera).at("user").at("id").get<std::string>();
    const auto path = "/v1/users/" + vera;
    EXPECT_EQ(call("deleteUser", {"DELETE", path, identity_.tom}).status, 403);
    EXPECT_EQ(call("deleteUser", {"DELETE", path, identity_.ada}).status, 204);
    EXPECT_EQ(call("deleteUser", {"DELETE", path, identity_.ada}).status, 404);
    EXPECT_EQ(call({"GET", "/v1/users/me", identity_.vera}).status, 401);
    const auto ada = "/v1/users/" + me(identity_.ada).at("user").at("id").get<std::string>();
    EXPECT_EQ(call("deleteUser", {"DELETE", ada, identity_.ada}).status, 409);
}

TEST_F(AccountEndpoints, AServiceAccountActsByItsTokensOnly) {
    const auto account = make_account(R"({"name": "nightly build"})");
    EXPECT_EQ(account.at("role"), "member");
    const auto id = account.at("id").get<std::string>();
    const json wanted = {
        {"name", "build"}, {"scopes", {"jobs:read", "jobs:write"}}, {"service_account_id", id}};
    const auto made = call("createToken", {"POST", "/v1/tokens", identity_.ada, wanted.dump()});
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(made.json().at("token").at("user").at("name"), "nightly build");
    const auto secret = made.json().at("secret").get<std::string>();
    const auto job = call("createJob", {"POST", "/v1/jobs", secret, kTwoTexts});
    EXPECT_EQ(job.json().at("submitter").at("name"), "nightly build");
    EXPECT_EQ(
        call("createSession", {"POST", "/v1/sessions", {}, json{{"token", secret}}.dump()}).status,
        403);
    EXPECT_EQ(call("createToken", {"POST", "/v1/tokens", identity_.tom, wanted.dump()}).status,
              422);
    EXPECT_EQ(
        call("createToken",
             {"POST", "/v1/tokens", identity_.vera,
              json{{"name", "x"}, {"scopes", {"jobs:read"}}, {"service_account_id", id}}.dump()})
            .status,
        403);
    const auto path = "/v1/service-accounts/" + id;
    EXPECT_EQ(
        call("updateServiceAccount", {"PATCH", path, identity_.ada, R"({"role": "admin"})"}).status,
        422);
    EXPECT_EQ(call("updateServiceAccount", {"PATCH", path, identity_.ada, R"({"role": "viewer"})"})
                  .json()
                  .at("role"),
              "viewer");
    EXPECT_EQ(call("createJob", {"POST", "/v1/jobs", secret, kTwoTexts}).status, 403);
    EXPECT_EQ(call("listServiceAccounts", {"GET", "/v1/service-accounts", identity_.tom})
                  .json()
                  .at("items")
                  .size(),
              0u);
    EXPECT_EQ(call("deleteServiceAccount", {"DELETE", path, identity_.tom}).status, 404);
    EXPECT_EQ(call("deleteServiceAccount", {"DELETE", path, identity_.ada}).status, 204);
    EXPECT_EQ(call({"GET", "/v1/jobs", secret}).status, 401);
}

TEST_F(AccountEndpoints, ATokenIsRenamed) {
    const auto tokens = call("listTokens", {"GET", "/v1/tokens", identity_.vera}).json();
    const auto path = "/v1/tokens/" + tokens["items"][0]["id"].get<std::string>();
    const std::string body = R"({"name": "notebook"})";
    EXPECT_EQ(call("updateToken", {"PATCH", path, identity_.vera, body}).json().at("name"),
              "notebook");
    const auto after = call("listTokens", {"GET", "/v1/tokens", identity_.vera}).json();
    EXPECT_EQ(after["items"][0].at("name"), "notebook");
    EXPECT_EQ(call("updateToken", {"PATCH", path, identity_.tom, body}).status, 404);
    EXPECT_EQ(call("updateToken", {"PATCH", path, identity_.narrow, body}).status, 403);
}

TEST_F(AccountEndpoints, AuditEventsAreFilteredPagedAndExported) {
    execute(R"(
        insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
        select team, 1, action, target, 'req_1', '{"name": "=1+1"}'
        from (values (1, 'token.create', '5'), (1, 'token.revoke', '5'), (1, 'user.update', '5'),
          (999, 'token.create', '6'), (null, 'class.set', 'gpu')) x(team, action, target))");
    const auto list = [&](const std::string& query, const std::string& token) {
        const auto page = call("listAuditEvents", {"GET", "/v1/audit-events" + query, token});
        EXPECT_EQ(page.status, 200) << page.body;
        return page.json();
    };
    const auto actions = [&](const std::string& query) {
        std::string text;
        const auto page = list(query, identity_.ada);
        for (const auto& item : page.at("items"))
            text += item.at("action").get<std::string>() + " ";
        return text;
    };
    EXPECT_EQ(actions(""), "user.update token.revoke token.create ");
    EXPECT_EQ(actions("?action=token"), "token.revoke token.create ");
    EXPECT_EQ(actions("?target=" + to_public(TokenId{5})), "token.revoke token.create ");
    EXPECT_EQ(actions("?target=" + to_public(UserId{5})), "user.update ");
    EXPECT_EQ(actions("?user_id=user_none"), "");
    EXPECT_EQ(actions("?to=2020-01-01T00:00:00Z"), "");
    EXPECT_EQ(actions("?all_teams=true&action=class.set"), "class.set ");
    const auto first = list("?limit=2", identity_.ada);
    EXPECT_EQ(actions("?limit=2&cursor=" + first.at("next_cursor").get<std::string>()),
              "token.create ");
    EXPECT_EQ(list("", identity_.tom).at("items").size(), 0u);
    EXPECT_EQ(
        call("listAuditEvents", {"GET", "/v1/audit-events?all_teams=true", identity_.tom}).status,
        403);
    EXPECT_EQ(call("listAuditEvents", {"GET", "/v1/audit-events", identity_.vera}).status, 403);
    const auto file = call("exportAuditEvents",
                           {"GET", "/v1/audit-events.csv?action=token.create", identity_.ada});
    EXPECT_EQ(file.status, 200);
    EXPECT_TRUE(file.body.starts_with("id,at,action,target,")) << file.body;
    EXPECT_NE(file.body.find("token.create,tok_"), std::string::npos) << file.body;
    EXPECT_EQ(file.body.find("token.revoke"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::http::test
