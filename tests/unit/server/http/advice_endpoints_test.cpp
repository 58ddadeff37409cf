// Estimates and GPU profiles over a socket, held against the contract.
#include "live_server.hpp"

#include <gtest/gtest.h>

namespace plimsoll::http::test {
namespace {

class AdviceEndpoints : public LiveServer {};

constexpr auto kBert = R"({"kind": "training-config", "args": {"model": {"preset": "minilm-l6"},
    "gpus": ["t4"], "what_ifs": false}})";

TEST_F(AdviceEndpoints, AnEstimateIsWhatTheContractDescribes) {
    const auto response = call("createEstimate", {"POST", "/v1/estimates", identity_.ada, kBert});
    ASSERT_EQ(response.status, 200) << response.body;
    EXPECT_EQ(response.json()["kind"], "training-config");
    EXPECT_EQ(response.json()["summary"]["gpus"][0]["gpu"]["id"], "t4");
}

TEST_F(AdviceEndpoints, AnEstimateNamesWhatIsWrongLikeAJob) {
    const auto response = call(
        "createEstimate",
        {"POST", "/v1/estimates", identity_.ada,
         R"({"kind": "training-config", "args": {"model": {"preset": "minilm-l6"}, "gpus": ["T4"]}})"});
    ASSERT_EQ(response.status, 422);
    EXPECT_EQ(response.json()["errors"][0]["pointer"], "/args/gpus/0");
}

TEST_F(AdviceEndpoints, EstimatesAreOfferedByTheKindsThatCan) {
    const auto response =
        call("createEstimate", {"POST", "/v1/estimates", identity_.ada,
                                R"({"kind": "sentiment", "args": {"texts": ["a"]}})"});
    EXPECT_EQ(response.status, 422);
}

TEST_F(AdviceEndpoints, AnEstimateNeedsACaller) {
    EXPECT_EQ(call("createEstimate", {"POST", "/v1/estimates", "", kBert}).status, 401);
}

TEST_F(AdviceEndpoints, ListTheCards) {
    const auto response = call("listGpuProfiles", {"GET", "/v1/gpu-profiles", identity_.ada});
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.json()["default"], "rtx_4090");
}

}  // namespace
}  // namespace plimsoll::http::test
