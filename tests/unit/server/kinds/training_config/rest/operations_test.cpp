// Estimates, GPU profiles and measurements over a socket, held against the contract.
#include "tests/unit/server/http/live/live_server.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace plimsoll::http::test {
namespace {

class Operations : public LiveServer {};

constexpr auto kBert = R"({"kind": "training-config", "args": {"model": {"preset": "minilm-l6"},
    "gpus": ["t4"], "what_ifs": false}})";

TEST_F(Operations, AnEstimateIsWhatTheContractDescribes) {
    const auto response = call("createEstimate", {"POST", "/v1/estimates", identity_.ada, kBert});
    ASSERT_EQ(response.status, 200) << response.body;
    EXPECT_EQ(response.json()["kind"], "training-config");
    EXPECT_EQ(response.json()["summary"]["gpus"][0]["gpu"]["id"], "t4");
}

TEST_F(Operations, AnEstimateNamesErrorsLikeAJob) {
    const auto response = call(
        "createEstimate",
        {"POST", "/v1/estimates", identity_.ada,
         R"({"kind": "training-config", "args": {"model": {"preset": "minilm-l6"}, "gpus": ["T44"]}})"});
    ASSERT_EQ(response.status, 422);
    EXPECT_EQ(response.json()["errors"][0]["pointer"], "/args/gpus/0");
}

TEST_F(Operations, OnlyKindsWithEstimatesOfferThem) {
    const auto response =
        call("createEstimate", {"POST", "/v1/estimates", identity_.ada,
                                R"({"kind": "sentiment", "args": {"texts": ["a"]}})"});
    EXPECT_EQ(response.status, 422);
}

TEST_F(Operations, AnEstimateNeedsACaller) {
    EXPECT_EQ(call("createEstimate", {"POST", "/v1/estimates", "", kBert}).status, 401);
}

TEST_F(Operations, AConfigurationIsComparedWithARun) {
    const auto compare = [&](const nlohmann::json& args, const std::string& text) {
        const nlohmann::json body = {{"args", args}, {"name", "train.yaml"}, {"text", text}};
        return call("createConfigurationComparison",
                    {"POST", "/v1/configuration-comparisons", identity_.ada, body.dump()});
    };
    const auto args = nlohmann::json::parse(kBert)["args"];
    const auto compared = compare(args, "num_train_epochs: 3\nper_device_train_batch_size: 3\n");
    ASSERT_EQ(compared.status, 200) << compared.body;
    EXPECT_EQ(compared.json()["changes"].back()["place"], "per_device_train_batch_size");
    EXPECT_EQ(compared.json()["changes"].back()["line"], 2);

    const auto pointer = [](const RawResponse& refused) {
        EXPECT_EQ(refused.status, 422) << refused.body;
        return refused.json()["errors"][0]["pointer"];
    };
    EXPECT_EQ(pointer(compare(args, "a: [")), "/text");
    EXPECT_EQ(pointer(compare({{"model", {{"preset", "bertha"}}}}, "a: 1")), "/args/model/preset");
    auto too_large = args;
    too_large["model"]["preset"] = "llama-8b";
    EXPECT_EQ(pointer(compare(too_large, "a: 1")), "/args") << "no batch fits";
    // Ten to the power of nine values in nine lines, and a value within itself.
    std::string bomb = "a0: &a0 {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1}\n";
    for (int i = 1; i < 9; ++i) {
        const auto last = "*a" + std::to_string(i - 1);
        bomb += fmt::format(
            "a{0}: &a{0} {{a: {1}, b: {1}, c: {1}, d: {1}, e: {1}, f: {1}, g: {1}, "
            "h: {1}, i: {1}, j: {1}}}\n",
            i, last);
    }
    EXPECT_EQ(pointer(compare(args, bomb)), "/text");
    EXPECT_EQ(pointer(compare(args, "a: &a {b: *a}\n")), "/text");
}

TEST_F(Operations, ListTheCards) {
    const auto response = call("listGpuProfiles", {"GET", "/v1/gpu-profiles", identity_.ada});
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.json()["default"], "rtx_4090");
}

TEST_F(Operations, GpuProfilesOfATeamAreAddedListedAndRemoved) {
    const Sent put{"PUT", "/v1/gpu-profiles/mine", identity_.ada,
                   R"({"memory_gib": 12, "bandwidth_gb_s": 500, "fp32_tflops": 20})"};
    const auto made = call("setGpuProfile", put);
    ASSERT_EQ(made.status, 200) << made.body;
    EXPECT_EQ(made.json()["id"], "mine");
    const auto all = call("listGpuProfiles", {"GET", "/v1/gpu-profiles", identity_.ada}).json();
    std::vector<std::string> own;
    for (const auto& profile : all["items"])
        if (profile["custom"]) own.push_back(profile["id"]);
    EXPECT_EQ(own, std::vector<std::string>{"mine"});
    const Sent remove{"DELETE", "/v1/gpu-profiles/mine", identity_.ada};
    EXPECT_EQ(call("deleteGpuProfile", remove).status, 204);
    EXPECT_EQ(call("deleteGpuProfile", remove).status, 404);
    const auto refused = call(
        "setGpuProfile",
        {"PUT", "/v1/gpu-profiles/mine", identity_.ada,
         R"({"memory_gib": 1, "context_gib": 0.9, "bandwidth_gb_s": 500, "fp32_tflops": 20})"});
    ASSERT_EQ(refused.status, 422);
    EXPECT_EQ(refused.json()["errors"][0]["pointer"], "/context_gib");
}

TEST_F(Operations, MissingArgumentsAreCompleted) {
    const auto response = call(
        "createEstimate",
        {"POST", "/v1/estimates", identity_.ada,
         R"({"kind": "training-config", "args": {"model": {"preset": "minilm-l6"}, "gpus": ["auto"]}})"});
    ASSERT_EQ(response.status, 422) << "the pool has no GPU";
    EXPECT_EQ(response.json()["errors"][0]["pointer"], "/args/gpus/0");
}

TEST_F(Operations, MeasurementsAreAddedListedAndRemoved) {
    const Sent post{"POST", "/v1/training-measurements", identity_.ada,
                    R"({"source": "run", "args": {"model": {"preset": "bert-base"}}, "batch": 8,
                        "gpu": {"name": "Tesla T4", "total_bytes": 15843721216},
                        "measured": {"peak_reserved_bytes": 1073741824}})"};
    const auto made = call("createTrainingMeasurement", post);
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_TRUE(made.json()["job_id"].is_null());
    const Sent get{"GET", "/v1/training-measurements", identity_.ada};
    EXPECT_EQ(call("listTrainingMeasurements", get).json()["items"].size(), 1u);
    const std::string path = "/v1/training-measurements/" + made.json()["id"].get<std::string>();
    const Sent remove{"DELETE", path, identity_.ada};
    EXPECT_EQ(call("deleteTrainingMeasurement", remove).status, 204);
    EXPECT_EQ(call("deleteTrainingMeasurement", remove).status, 404);
}

TEST_F(Operations, AMeasurementRequiresTheTrainedModel) {
    const auto send = [this](const std::string& more) {
        return call("createTrainingMeasurement",
                    {"POST", "/v1/training-measurements", identity_.ada,
                     R"({"source": "run", "batch": 8, "measured": {"peak_reserved_bytes": 1},
                         "gpu": {"name": "Tesla T4", "total_bytes": 15843721216})" +
                         more + "}"});
    };
    const auto neither = send("");
    ASSERT_EQ(neither.status, 422);
    EXPECT_NE(neither.json()["errors"][0]["detail"].get<std::string>().find("job_id"),
              std::string::npos);
    const auto of_another_kind = send(R"(, "job_id": ")" + to_public(submit()) + R"(")");
    ASSERT_EQ(of_another_kind.status, 422);
    EXPECT_EQ(of_another_kind.json()["errors"][0]["pointer"], "/job_id");
}

}  // namespace
}  // namespace plimsoll::http::test
