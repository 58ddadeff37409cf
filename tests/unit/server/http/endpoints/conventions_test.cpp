// What all operations have in common: keys of repeated calls, and cursors.
#include "tests/unit/server/http/live/live_server.hpp"

#include <algorithm>

namespace plimsoll::http::test {
namespace {

using nlohmann::json;

class Conventions : public LiveServer {
  protected:
    RawResponse make(const std::string& operation, const std::string& path, const std::string& key,
                     const json& body, const std::string& token) {
        return call(operation, {"POST", path, token, body.dump(), {{"Idempotency-Key", key}}});
    }
    json list(const std::string& operation, const std::string& target) {
        return call(operation, {"GET", target, identity_.ada}).json();
    }
};

TEST_F(Conventions, ARepeatedCallGetsTheFirstAnswer) {
    const json body = {{"name", "ops"}};
    const auto first = make("createTeam", "/v1/teams", "k1", body, identity_.ada);
    ASSERT_EQ(first.status, 201);
    EXPECT_EQ(first.header("idempotency-replayed"), "");
    const auto again = make("createTeam", "/v1/teams", "k1", body, identity_.ada);
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.json(), first.json());
    EXPECT_EQ(again.header("location"), first.header("location"));
    EXPECT_EQ(again.header("idempotency-replayed"), "true");
    EXPECT_EQ(make("createTeam", "/v1/teams", "k2", body, identity_.ada).status, 409)
        << "the name is taken: another key is another call";
}

TEST_F(Conventions, AKeyBelongsToOneRequest) {
    ASSERT_EQ(make("createTeam", "/v1/teams", "k1", {{"name", "ops"}}, identity_.ada).status, 201);
    const auto other = make("createTeam", "/v1/teams", "k1", {{"name", "dev"}}, identity_.ada);
    EXPECT_EQ(other.status, 422);
    EXPECT_EQ(other.json().at("type"), "/docs/problems/idempotency-mismatch");
    EXPECT_EQ(make("createUser", "/v1/users", "k1", {{"name", "ops"}}, identity_.ada).status, 422);
}

TEST_F(Conventions, TeamsDoNotShareKeys) {
    const json body = {{"name", "nightly"}, {"scopes", {"jobs:read"}}};
    EXPECT_EQ(make("createToken", "/v1/tokens", "k1", body, identity_.ada).status, 201);
    EXPECT_EQ(make("createToken", "/v1/tokens", "k1", body, identity_.tom).status, 201);
}

TEST_F(Conventions, ARefusedCallDoesNotUseUpItsKey) {
    const json taken = {{"name", "research"}};
    EXPECT_EQ(make("createTeam", "/v1/teams", "k1", taken, identity_.ada).status, 409);
    EXPECT_EQ(make("createTeam", "/v1/teams", "k1", {{"name", "ops"}}, identity_.ada).status, 201);
}

TEST_F(Conventions, ASecretIsNotShownAgain) {
    const json body = {{"name", "nightly"}, {"scopes", {"jobs:read"}}};
    const auto first = make("createToken", "/v1/tokens", "k1", body, identity_.ada);
    const auto before = list("listTokens", "/v1/tokens").at("items").size();
    const auto again = make("createToken", "/v1/tokens", "k1", body, identity_.ada);
    EXPECT_EQ(again.status, 409);
    EXPECT_EQ(again.json().at("type"), "/docs/problems/already-made");
    EXPECT_EQ(again.header("location"), first.header("location"));
    EXPECT_EQ(again.body.find(first.json().at("secret").get<std::string>()), std::string::npos);
    EXPECT_EQ(list("listTokens", "/v1/tokens").at("items").size(), before);
    EXPECT_EQ(call("deleteToken", {"DELETE", first.header("location"), identity_.ada}).status, 204);
}

TEST_F(Conventions, AFirstCallWithoutAResponseIsReported) {
    const json body = {{"name", "ops"}};
    ASSERT_EQ(make("createTeam", "/v1/teams", "k1", body, identity_.ada).status, 201);
    execute("update plimsoll.kept_answer set status = null, location = null, body = null");
    const auto again = make("createTeam", "/v1/teams", "k1", body, identity_.ada);
    EXPECT_EQ(again.status, 409);
    EXPECT_NE(again.json().at("detail").get<std::string>().find("has no response yet"),
              std::string::npos);
}

TEST_F(Conventions, ListsComeInPages) {
    for (const auto* name : {"b", "c", "a"})
        call("createTeam", {"POST", "/v1/teams", identity_.ada, json{{"name", name}}.dump()});
    std::vector<std::string> ids;
    std::string target = "/v1/teams?limit=2";
    while (!target.empty()) {
        const auto page = call("listTeams", {"GET", target, identity_.ada});
        ASSERT_EQ(page.status, 200) << page.body;
        const auto body = page.json();
        EXPECT_LE(body.at("items").size(), 2u);
        for (const auto& team : body.at("items")) ids.push_back(team.at("id"));
        const auto& next = body.at("next_cursor");
        EXPECT_EQ(page.header("link").empty(), next.is_null());
        target = next.is_null() ? "" : "/v1/teams?limit=2&cursor=" + next.get<std::string>();
    }
    EXPECT_EQ(ids.size(), 5u);
    EXPECT_TRUE(std::ranges::is_sorted(ids));
    EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

// What a cursor says is the server's business: nobody makes one, changes one, or takes another's.
TEST_F(Conventions, OnlyTheServersOwnCursorsAreAccepted) {
    for (int i = 0; i < 3; ++i) submit();
    const auto cursor = list("listJobs", "/v1/jobs?limit=1").at("next_cursor").get<std::string>();
    const auto with = [&](const std::string& operation, const std::string& path,
                          const std::string& token, const std::string& used) {
        return call(operation, {"GET", path + "?cursor=" + used, token});
    };
    EXPECT_EQ(with("listJobs", "/v1/jobs", identity_.ada, cursor).status, 200);
    for (std::size_t i = 0; i < cursor.size(); i += 5) {
        auto changed = cursor;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        EXPECT_EQ(with("listJobs", "/v1/jobs", identity_.ada, changed).status, 400) << i;
    }
    EXPECT_EQ(with("listJobs", "/v1/jobs", identity_.ada, cursor + "AAAA").status, 400);
    EXPECT_EQ(with("listJobs", "/v1/jobs", identity_.ada, to_public(JobId{1})).status, 400);
    EXPECT_EQ(with("listJobs", "/v1/jobs", identity_.tom, cursor).status, 400) << "another team";
    const auto other = with("listDatasets", "/v1/datasets", identity_.ada, cursor);
    EXPECT_EQ(other.status, 400) << "another list";
    EXPECT_EQ(other.json().at("errors").at(0).at("parameter"), "cursor");
}

}  // namespace
}  // namespace plimsoll::http::test
