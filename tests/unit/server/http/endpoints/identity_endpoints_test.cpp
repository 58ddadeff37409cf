#include "server/http/contract/contract_text.hpp"
#include "server/identity/secret.hpp"
#include "tests/unit/server/http/live/live_server.hpp"

#include <algorithm>

namespace plimsoll::http::test {
namespace {

using nlohmann::json;

class IdentityEndpoints : public LiveServer {
  protected:
    struct SignedIn {
        std::string cookie;
        std::string csrf;
    };
    SignedIn sign_in() { return sign_in({{"sign_in_token", identity_.link}}); }
    SignedIn sign_in(const json& with) {
        const auto response = call("createSession", {"POST", "/v1/sessions", {}, with.dump()});
        EXPECT_EQ(response.status, 201) << response.body;
        const auto cookie = response.header("set-cookie");
        EXPECT_NE(cookie.find("; HttpOnly; SameSite=Lax"), std::string::npos);
        return {cookie.substr(0, cookie.find(';')), response.json().at("csrf_token")};
    }
    static Sent with(const SignedIn& session, Sent sent, bool csrf = true) {
        sent.headers.emplace_back("Cookie", session.cookie);
        if (csrf) sent.headers.emplace_back("X-CSRF-Token", session.csrf);
        return sent;
    }
    json me(const std::string& token) {
        return call("getMe", {"GET", "/v1/users/me", token}).json();
    }
};

// Every operation of the contract, without a credential and with one that may do nothing.
TEST_F(IdentityEndpoints, EveryOperationRequiresTheContractsScope) {
    const Contract contract(contract_json());
    int checked = 0;
    for (const auto& operation : contract.operations()) {
        if (operation.open) continue;
        auto target = operation.path;
        for (auto open = target.find('{'); open != std::string::npos; open = target.find('{'))
            target.replace(open, target.find('}') - open + 1, "x");
        Sent sent{operation.method, target};
        EXPECT_EQ(call(operation.id, sent).status, 401) << operation.id;
        sent.token = "plm_tok_000000000000000000000000000_000000";
        EXPECT_EQ(call(operation.id, sent).status, 401) << operation.id;
        sent.token = identity_.ada.substr(0, identity_.ada.size() - 1);
        EXPECT_EQ(call(operation.id, sent).status, 401) << operation.id;
        if (!operation.scope.empty() && operation.scope != "jobs:read") {
            sent.token = identity_.narrow;
            const auto refused = call(operation.id, sent);
            EXPECT_EQ(refused.status, 403) << operation.id;
            EXPECT_EQ(refused.json().at("detail"),
                      "This operation needs the scope " + operation.scope + ".");
        }
        ++checked;
    }
    EXPECT_GT(checked, 20);
}

TEST_F(IdentityEndpoints, RolesLimitWhatATokenMayDo) {
    EXPECT_EQ(me(identity_.ada).at("scopes").size(), 5u);
    EXPECT_EQ(me(identity_.vera).at("scopes"), json({"jobs:read", "reports:read"}));
    EXPECT_EQ(me(identity_.narrow).at("scopes"), json({"jobs:read"}));
    EXPECT_EQ(call("createJob", {"POST", "/v1/jobs", identity_.vera, kTwoTexts}).status, 403);
}

TEST_F(IdentityEndpoints, ALinkSignsInOnce) {
    const auto session = sign_in();
    const auto again =
        call("createSession",
             {"POST", "/v1/sessions", {}, json{{"sign_in_token", identity_.link}}.dump()});
    EXPECT_EQ(again.status, 401);
    const auto whoami = call("getMe", with(session, {"GET", "/v1/users/me"}, false));
    EXPECT_EQ(whoami.json().at("user").at("name"), "ada");
    EXPECT_EQ(whoami.json().at("csrf_token"), session.csrf);
}

TEST_F(IdentityEndpoints, ASessionThatWritesSendsItsToken) {
    const auto session = sign_in();
    const Sent submit{"POST", "/v1/jobs", {}, kTwoTexts};
    EXPECT_EQ(call("createJob", with(session, submit, false)).status, 403);
    EXPECT_EQ(call("createJob", with(session, submit)).status, 202);
    auto foreign = with(session, submit);
    foreign.headers.emplace_back("Origin", "https://evil.example");
    EXPECT_EQ(call("createJob", foreign).status, 403);
    auto own = with(session, submit);
    own.headers.emplace_back("Origin", "http://localhost");
    EXPECT_EQ(call("createJob", own).status, 202);
}

TEST_F(IdentityEndpoints, SigningOutEndsTheSessionOnTheServer) {
    const auto session = sign_in();
    const auto out =
        call("deleteCurrentSession", with(session, {"DELETE", "/v1/sessions/current"}));
    EXPECT_EQ(out.status, 204);
    EXPECT_NE(out.header("set-cookie").find("Max-Age=0"), std::string::npos);
    EXPECT_EQ(call("getMe", with(session, {"GET", "/v1/users/me"})).status, 401);
    EXPECT_EQ(
        call("deleteCurrentSession", {"DELETE", "/v1/sessions/current", identity_.ada}).status,
        409);
}

TEST_F(IdentityEndpoints, ATokenSignsInOnlyWithAllScopes) {
    const auto with_token = [&](const std::string& token) {
        return call("createSession", {"POST", "/v1/sessions", {}, json{{"token", token}}.dump()})
            .status;
    };
    EXPECT_EQ(with_token(identity_.ada), 201);
    EXPECT_EQ(with_token(identity_.vera), 201);
    EXPECT_EQ(with_token(identity_.narrow), 403);
    EXPECT_EQ(with_token(identity_.link), 401);
}

TEST_F(IdentityEndpoints, GuessingIsSlowedDown) {
    const Sent guess{"POST", "/v1/sessions", {}, R"({"token":"plm_tok_guess"})"};
    for (int i = 0; i < 10; ++i) EXPECT_EQ(call("createSession", guess).status, 401);
    const auto held = call("createSession", guess);
    EXPECT_EQ(held.status, 429);
    EXPECT_NE(held.header("retry-after"), "");
    EXPECT_EQ(call("createSession", {"POST", "/v1/sessions", {}, "{}"}).status, 422);
    const auto good = json{{"token", identity_.ada}}.dump();
    EXPECT_EQ(call("createSession", {"POST", "/v1/sessions", {}, good}).status, 201)
        << "of somebody who shares the network";
}

TEST_F(IdentityEndpoints, GuessingTokensIsSlowedDownAndAffectsNobodyElse) {
    const auto unknown = identity::make_secret(identity::SecretKind::token);
    const Sent guess{"GET", "/v1/users/me", unknown.text};
    for (int i = 0; i < 60; ++i) ASSERT_EQ(call("getMe", guess).status, 401);
    const auto held = call("getMe", guess);
    EXPECT_EQ(held.status, 429);
    EXPECT_EQ(held.header("ratelimit-policy"), R"("failed-credentials";q=60;w=60)");
    EXPECT_NE(held.header("retry-after"), "");
    EXPECT_EQ(call("getMe", {"GET", "/v1/users/me", identity_.ada}).status, 200) << "never used";
    EXPECT_EQ(call("getMe", {"GET", "/v1/users/me"}).status, 401) << "there is nothing to look up";
}

TEST_F(IdentityEndpoints, CreatesUsersTeamsAndLinks) {
    const auto user = call("createUser", {"POST", "/v1/users", identity_.ada,
                                          R"({"name":"grace","email":"g@example.com"})"});
    EXPECT_EQ(user.status, 201);
    EXPECT_EQ(
        call("createUser", {"POST", "/v1/users", identity_.ada, R"({"name":"grace"})"}).status,
        409);
    EXPECT_EQ(call("createUser", {"POST", "/v1/users", identity_.ada, R"({"name":" x"})"}).status,
              422);
    const auto team = call("createTeam", {"POST", "/v1/teams", identity_.ada, R"({"name":"ops"})"});
    EXPECT_EQ(team.status, 201);
    const auto member = "/v1/teams/" + team.json().at("id").get<std::string>() + "/members/" +
                        user.json().at("id").get<std::string>();
    EXPECT_EQ(call("setTeamMember", {"PUT", member, identity_.ada, R"({"role":"member"})"}).status,
              200);
    EXPECT_EQ(call("setTeamMember", {"PUT", member, identity_.ada, R"({"role":"king"})"}).status,
              422);
    const json wanted = {{"user_id", user.json().at("id")}, {"team_id", team.json().at("id")}};
    const auto link =
        call("createSignInLink", {"POST", "/v1/sign-in-links", identity_.ada, wanted.dump()});
    EXPECT_EQ(link.status, 201);
    EXPECT_EQ(link.json().at("path"),
              "/#/sign-in/" + link.json().at("sign_in_token").get<std::string>());
    EXPECT_EQ(call("removeTeamMember", {"DELETE", member, identity_.ada}).status, 204);
    EXPECT_EQ(call("removeTeamMember", {"DELETE", member, identity_.ada}).status, 404);
    EXPECT_GE(call("listUsers", {"GET", "/v1/users", identity_.ada}).json().at("items").size(), 4u);
    EXPECT_EQ(call("createUser", {"POST", "/v1/users", identity_.tom, R"({"name":"eve"})"}).status,
              403);
}

TEST_F(IdentityEndpoints, AUserIsDisabledAndEnabled) {
    const auto vera = me(identity_.vera).at("user").at("id").get<std::string>();
    const auto set = [&](const std::string& id, const std::string& body) {
        return call("updateUser", {"PATCH", "/v1/users/" + id, identity_.ada, body});
    };
    EXPECT_EQ(set(vera, R"({"disabled": true})").json().at("disabled"), true);
    EXPECT_EQ(call({"GET", "/v1/users/me", identity_.vera}).status, 401);
    EXPECT_EQ(set(vera, R"({"disabled": false, "name": "Vera"})").json().at("name"), "Vera");
    EXPECT_EQ(call({"GET", "/v1/users/me", identity_.vera}).status, 200);
    const auto ada = me(identity_.ada).at("user").at("id").get<std::string>();
    EXPECT_EQ(set(ada, R"({"disabled": true})").status, 409);
    EXPECT_EQ(set(ada, R"({"is_admin": false})").status, 409);
    EXPECT_EQ(set("user_000000009c4f1", R"({"disabled": true})").status, 404);
    EXPECT_EQ(set(vera, R"({"email": "no address"})").status, 422);
    EXPECT_EQ(set(vera, "{}").status, 422);
    EXPECT_EQ(
        call("updateUser", {"PATCH", "/v1/users/" + ada, identity_.tom, R"({"disabled": true})"})
            .status,
        403);
}

// Ids are numbers: whoever counts through them must not learn names and addresses.
TEST_F(IdentityEndpoints, ATeamOwnerCannotAddUsersById) {
    const auto team = me(identity_.tom).at("team").at("id").get<std::string>();
    const auto vera = me(identity_.vera).at("user").at("id").get<std::string>();
    for (const auto& id : {vera, std::string("user_000000009c4f1")}) {
        const auto refused = call("setTeamMember", {"PUT", "/v1/teams/" + team + "/members/" + id,
                                                    identity_.tom, R"({"role":"viewer"})"});
        EXPECT_EQ(refused.status, 404);
        EXPECT_EQ(refused.json().at("detail"),
                  "The member was not found. System admins add users to teams.");
    }
}

TEST_F(IdentityEndpoints, TeamsSeeThemselves) {
    EXPECT_EQ(call("listTeams", {"GET", "/v1/teams", identity_.ada}).json().at("items").size(), 2u);
    EXPECT_EQ(call("listTeams", {"GET", "/v1/teams", identity_.tom}).json().at("items").size(), 1u);
    const auto of = [&](const std::string& token) {
        return me(token).at("team").at("id").get<std::string>();
    };
    const auto members = [&](const std::string& team, const std::string& token) {
        return call("listTeamMembers", {"GET", "/v1/teams/" + team + "/members", token});
    };
    EXPECT_EQ(members(of(identity_.ada), identity_.vera).json().at("items").size(), 2u);
    EXPECT_EQ(members(of(identity_.ada), identity_.tom).status, 404);
    EXPECT_EQ(members("nonsense", identity_.tom).status, 404);
}

TEST_F(IdentityEndpoints, ATokenIsShownOnceAndRevokedAtOnce) {
    const auto created = call("createToken", {"POST", "/v1/tokens", identity_.ada,
                                              R"({"name":"nightly","scopes":["jobs:read"]})"});
    EXPECT_EQ(created.status, 201);
    const auto secret = created.json().at("secret").get<std::string>();
    const auto id = created.json().at("token").at("id").get<std::string>();
    EXPECT_EQ(call("listJobs", {"GET", "/v1/jobs", secret}).status, 200);
    const auto list = call("listTokens", {"GET", "/v1/tokens", identity_.ada});
    EXPECT_EQ(list.body.find(secret), std::string::npos);
    EXPECT_EQ(call("deleteToken", {"DELETE", "/v1/tokens/" + id, identity_.vera}).status, 404);
    EXPECT_EQ(call("deleteToken", {"DELETE", "/v1/tokens/" + id, identity_.ada}).status, 204);
    EXPECT_EQ(call("listJobs", {"GET", "/v1/jobs", secret}).status, 401);
}

TEST_F(IdentityEndpoints, ATokenWithFewerScopesManagesNoTokens) {
    const auto tokens = call("listTokens", {"GET", "/v1/tokens", identity_.ada}).json();
    const auto id = tokens["items"][0]["id"].get<std::string>();
    const std::string body = R"({"name": "another", "scopes": ["jobs:read"]})";
    EXPECT_EQ(call("listTokens", {"GET", "/v1/tokens", identity_.narrow}).status, 403);
    EXPECT_EQ(call("createToken", {"POST", "/v1/tokens", identity_.narrow, body}).status, 403);
    EXPECT_EQ(call("deleteToken", {"DELETE", "/v1/tokens/" + id, identity_.narrow}).status, 403);
    EXPECT_EQ(call("createToken", {"POST", "/v1/tokens", identity_.vera, body}).status, 201);
}

TEST_F(IdentityEndpoints, TokensMadeWithATokenEndWithIt) {
    const std::string body = R"({"name": "one", "scopes": ["jobs:read", "reports:read"]})";
    const auto make = [&](const std::string& with) {
        return call("createToken", {"POST", "/v1/tokens", with, body}).json();
    };
    const auto parent = make(identity_.vera);
    const auto child = make(parent["secret"].get<std::string>())["secret"].get<std::string>();
    EXPECT_EQ(call({"GET", "/v1/jobs", child}).status, 200);
    const auto path = "/v1/tokens/" + parent["token"]["id"].get<std::string>();
    EXPECT_EQ(call("deleteToken", {"DELETE", path, identity_.vera}).status, 204);
    EXPECT_EQ(call({"GET", "/v1/jobs", child}).status, 401);
}

TEST_F(IdentityEndpoints, ATokenHasAtMostItsCreatorsScopes) {
    const auto pointer = [&](const std::string& token, const std::string& body) {
        const auto refused = call("createToken", {"POST", "/v1/tokens", token, body});
        EXPECT_EQ(refused.status, 422) << refused.body;
        return refused.json().at("errors").at(0).at("pointer").get<std::string>();
    };
    EXPECT_EQ(pointer(identity_.vera, R"({"name":"x","scopes":["jobs:read","jobs:write"]})"),
              "/scopes/1");
    EXPECT_EQ(pointer(identity_.ada, R"({"name":"x","scopes":["jobs:read"],"expires_at":"soon"})"),
              "/expires_at");
    EXPECT_EQ(pointer(identity_.ada,
                      R"({"name":"x","scopes":["jobs:read"],"expires_at":"2020-01-01T00:00:00Z"})"),
              "/expires_at");
    const auto good =
        R"({"name":"x","scopes":["jobs:read"],"expires_at":"2999-01-01T00:00:00+02:00"})";
    const auto created = call("createToken", {"POST", "/v1/tokens", identity_.ada, good});
    EXPECT_EQ(created.json().at("token").at("expires_at"), "2998-12-31T22:00:00.000Z");
}

TEST_F(IdentityEndpoints, TokensMadeWithAnExpiringTokenDoNotOutliveIt) {
    const auto end = std::string(Secrets::kBriefEnd);
    const auto body = [](const std::string& expires_at) {
        json token = {{"name", "x"}, {"scopes", {"jobs:read"}}};
        if (!expires_at.empty()) token["expires_at"] = expires_at;
        return token.dump();
    };
    const auto made = [&](const std::string& expires_at) {
        return call("createToken", {"POST", "/v1/tokens", identity_.brief, body(expires_at)});
    };
    EXPECT_EQ(made("").json().at("token").at("expires_at"), end);
    EXPECT_EQ(made("2997-06-01T00:00:00Z").status, 201);
    const auto refused = made("2998-01-01T00:00:01Z");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(refused.json().at("errors").at(0).at("pointer"), "/expires_at");

    const auto session = sign_in({{"token", identity_.brief}});
    const auto in_session =
        call("createToken", with(session, {"POST", "/v1/tokens", {}, body("")}));
    EXPECT_EQ(in_session.json().at("token").at("expires_at"), end);
}

TEST_F(IdentityEndpoints, DescribesItself) {
    const auto document = call("getContractJson", {"GET", "/openapi.json"});
    EXPECT_EQ(document.json().at("openapi"), "3.0.3");
    Sent again{"GET", "/openapi.json"};
    again.headers = {{"If-None-Match", document.header("etag")}};
    EXPECT_EQ(call(again).status, 304);
    Sent packed{"GET", "/openapi.json"};
    packed.headers = {{"Accept-Encoding", "gzip, br"}};
    EXPECT_EQ(call(packed).header("content-encoding"), "gzip");
    EXPECT_LT(call(packed).body.size(), document.body.size() / 4);
    packed.headers = {{"Accept-Encoding", "gzip"}, {"Range", "bytes=0-9"}};
    EXPECT_EQ(call(packed).header("content-encoding"), "");
    const auto yaml = call("getContractYaml", {"GET", "/openapi.yaml"});
    EXPECT_EQ(yaml.body, contract_yaml());
    EXPECT_EQ(yaml.header("content-type"), "application/yaml");
    const auto newer = call("getContract31", {"GET", "/openapi-3.1.json"}).json();
    EXPECT_EQ(newer.at("openapi"), "3.1.0");
    const auto& schemas = newer.at("components").at("schemas");
    EXPECT_EQ(schemas["Job"]["properties"]["error"]["type"], (nlohmann::json{"string", "null"}));
    EXPECT_EQ(schemas["UsageItem"]["properties"]["user"]["oneOf"][1]["type"], "null");
    EXPECT_EQ(schemas["UserName"]["type"], "object");
    EXPECT_TRUE(schemas["Labels"].contains("propertyNames"));
    EXPECT_EQ(newer.dump().find("nullable"), std::string::npos);
    const auto kinds = call("getVersion", {"GET", "/version"}).json().at("kinds");
    EXPECT_NE(std::ranges::find(kinds, "sentiment"), kinds.end()) << kinds;
    EXPECT_EQ(call("getHealth", {"GET", "/healthz"}).status, 200);
}

}  // namespace
}  // namespace plimsoll::http::test
