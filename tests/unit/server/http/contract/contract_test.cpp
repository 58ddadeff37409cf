// openapi.yaml as the server reads it.
#include "server/http/contract/contract.hpp"

#include "server/http/api/api.hpp"
#include "server/http/contract/contract_text.hpp"
#include "server/http/contract/parameters.hpp"
#include "server/http/contract/router.hpp"
#include "server/postgres/database.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>

namespace plimsoll::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class ContractTest : public ::testing::Test {
  protected:
    Outcome<Match> match(std::string_view method, std::string_view target) {
        return router_.match(method, *parse_target(target));
    }

    Contract contract_{contract_json()};
    Router router_{contract_};
};

TEST_F(ContractTest, HasEveryOperation) {
    EXPECT_GE(contract_.operations().size(), 28u);
    const auto* create = contract_.find("createJob");
    ASSERT_NE(create, nullptr);
    EXPECT_EQ(create->method, "POST");
    EXPECT_EQ(create->scope, "jobs:write");
    EXPECT_EQ(create->body_limit, 8u * 1024 * 1024);
    EXPECT_FALSE(create->open);
    EXPECT_TRUE(contract_.find("createSession")->open);
    EXPECT_THAT(contract_.find("listJobEvents")->produces,
                ElementsAre("application/json", "text/event-stream"));
}

TEST_F(ContractTest, EverythingUnderV1NeedsCredentialsButSigningInAndLinks) {
    for (const auto& operation : contract_.operations()) {
        // Whoever reads a linked report or an invitation, or sets a password by a link, shows the
        // link's secret instead; who signs out at the provider has no session any more.
        const bool open =
            operation.id == "createSession" || operation.id == "spendPasswordLink" ||
            operation.id == "getInvitationOffer" || operation.id == "getSignInMethods" ||
            operation.id == "createProviderSignIn" || operation.id == "createProviderSignOut" ||
            operation.path.starts_with("/v1/linked-report");
        if (operation.path.starts_with("/v1/")) EXPECT_EQ(operation.open, open) << operation.id;
        if (operation.method != "GET" && operation.body != nullptr)
            EXPECT_GT(operation.body_limit, 0u) << operation.id;
    }
}

TEST_F(ContractTest, RoutesToTheOperation) {
    EXPECT_EQ(match("GET", "/v1/jobs")->operation->id, "listJobs");
    EXPECT_EQ(match("HEAD", "/v1/jobs")->operation->id, "listJobs");
    EXPECT_EQ(match("GET", "/v1/users/me")->operation->id, "getMe");
    const auto picture = match("GET", "/v1/jobs/j1/pictures/3.png");
    EXPECT_EQ(picture->operation->id, "getJobPicturePng");
    EXPECT_THAT(picture->path_parameters, ElementsAre(Pair("job_id", "j1"), Pair("index", "3")));
    EXPECT_FALSE(match("GET", "/v1/jobs/j1/pictures/.png"));
    EXPECT_FALSE(match("GET", "/v1/jobs/j1/pictures/3.gif"));
    const auto member = match("PUT", "/v1/teams/t%2F1/members/u2");
    EXPECT_EQ(member->operation->id, "setTeamMember");
    EXPECT_THAT(member->path_parameters,
                ElementsAre(Pair("team_id", "t/1"), Pair("user_id", "u2")));
}

TEST_F(ContractTest, ListsTheMethodsOfAPath) {
    EXPECT_EQ(match("GET", "/v1/nothing").error().status, 404);
    EXPECT_EQ(match("GET", "/v1/jobs/").error().status, 404);
    EXPECT_EQ(match("GET", "/").error().status, 404);
    const auto refused = match("TRACE", "/v1/jobs");
    EXPECT_EQ(refused.error().status, 405);
    EXPECT_EQ(refused.error().headers.at(0).value, "GET, HEAD, POST, OPTIONS");
}

TEST_F(ContractTest, FillsInDefaults) {
    const auto target = *parse_target("/v1/jobs?kind=sentiment");
    const auto parameters = Parameters::read(*match("GET", "/v1/jobs"), target, Request());
    ASSERT_TRUE(parameters);
    EXPECT_EQ(parameters->integer("limit"), 50);
    EXPECT_EQ(parameters->text("kind"), "sentiment");
    EXPECT_EQ(parameters->text("cursor"), std::nullopt);
}

TEST_F(ContractTest, AMissingHandlerStopsTheStart) {
    boost::asio::io_context away;
    const postgres::ServerDatabase database(away.get_executor(), {});
    const auto& stores = database.stores();
    boost::asio::thread_pool pool(1);
    Handlers handlers;
    for (const auto& operation : contract_.operations()) {
        handlers[operation.id] = [](const Call&) -> boost::asio::awaitable<Response> {
            co_return Response();
        };
    }
    EXPECT_NO_THROW(Api(contract_, handlers, stores.identity, stores.idempotency, pool));
    auto node = handlers.extract("getMe");
    node.key() = "getYou";
    handlers.insert(std::move(node));
    try {
        const Api api(contract_, handlers, stores.identity, stores.idempotency, pool);
        FAIL() << "an incomplete API started";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("getMe is in openapi.yaml and has no handler"));
        EXPECT_THAT(error.what(), HasSubstr("getYou has a handler and is not in openapi.yaml"));
    }
}

TEST(DeprecatedOperations, AreMarkedInEveryResponse) {
    const Contract contract(R"({"openapi": "3.0.3", "info": {"version": "1"}, "paths": {"/old": {
        "get": {"operationId": "old", "security": [], "deprecated": true,
                "x-deprecated-at": "2026-01-02T00:00:00Z", "x-sunset-at": "2027-07-01T12:00:00+02:00",
                "parameters": [{"name": "n", "in": "query", "schema": {"type": "integer"}}],
                "responses": {}},
        "delete": {"operationId": "older", "security": [], "deprecated": true,
                   "x-deprecated-at": "2026-01-02T00:00:00Z", "responses": {}},
        "post": {"operationId": "new", "security": [], "responses": {}}}}})");
    const auto nothing = [](const Call&) -> boost::asio::awaitable<Response> {
        co_return empty_response(204);
    };
    boost::asio::io_context away;
    const postgres::ServerDatabase database(away.get_executor(), {});
    const auto& stores = database.stores();
    boost::asio::thread_pool pool(1);
    Api api(contract, {{"old", nothing}, {"older", nothing}, {"new", nothing}}, stores.identity,
            stores.idempotency, pool);
    const auto answer = [&](const std::string& method, const std::string& target) {
        Request request;
        request.method = method;
        request.target = target;
        Response response;
        boost::asio::io_context io;
        boost::asio::co_spawn(
            io,
            [&]() -> boost::asio::awaitable<void> {
                const auto exchange = api.exchange();
                auto refused = co_await exchange->admit(request);
                response =
                    refused ? std::move(*refused) : co_await exchange->answer(request, nullptr);
            },
            boost::asio::detached);
        io.run();
        return response;
    };
    const auto old = answer("GET", "/old");
    EXPECT_EQ(old.status, 204);
    EXPECT_EQ(find_header(old.headers, "Deprecation"), "@1767312000");
    EXPECT_EQ(find_header(old.headers, "Sunset"), "Thu, 01 Jul 2027 10:00:00 GMT");
    const auto refused = answer("GET", "/old?n=x");
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(find_header(refused.headers, "Deprecation"), "@1767312000");
    EXPECT_FALSE(find_header(answer("DELETE", "/old").headers, "Sunset"));
    EXPECT_FALSE(find_header(answer("POST", "/old").headers, "Deprecation"));
}

TEST(DeprecatedOperations, NeedTheTimeOfTheirDeprecation) {
    const auto* const text = R"({"openapi": "3.0.3", "info": {"version": "1"}, "paths": {"/old": {
        "get": {"operationId": "old", "deprecated": true, "x-deprecated-at": "soon", "responses": {}}}}})";
    EXPECT_THROW(const Contract contract(text), std::runtime_error);
}

}  // namespace
}  // namespace plimsoll::http
