// What the server fills in before a request is planned.
#include "server/kinds/training_config/contract/complete.hpp"

#include "server/jobs/registry.hpp"
#include "server/kinds/training_config/contract/collections.hpp"
#include "server/kinds/training_config/contract/measurement.hpp"

#include <gtest/gtest.h>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

class Complete : public testing::Test {
  protected:
    Complete() {
        for (const auto& collection : kind().collections)
            planning_context_.records[collection.name];
    }

    static const Contract& kind() { return *find_contract("training-config"); }
    json complete(json args) const {
        return training_config::complete(std::move(args), planning_context_).value();
    }

    void keep(const Collection& collection, std::string id, const json& data) {
        TeamRecord record;
        record.id = std::move(id);
        record.section = data.value("comparison_key", "");
        record.data = data.dump();
        planning_context_.records[collection.name].push_back(std::move(record));
    }

    PlanningContext planning_context_;
    const json model_{{"preset", "bert-base"}};
};

TEST_F(Complete, DescribesTheTeamsCardsThatAreNamed) {
    const json card{
        {"id", "mine"}, {"memory_gib", 12}, {"bandwidth_gb_s", 500}, {"fp32_tflops", 20}};
    keep(kGpuProfiles, "mine", card);
    const auto named = complete({{"model", model_}, {"gpus", {"t4", "mine"}}});
    EXPECT_EQ(named["custom_gpus"], json::array({card}));
    EXPECT_TRUE(kind().plan(named, planning_context_));
    EXPECT_FALSE(complete({{"model", model_}, {"gpus", {"t4"}}}).contains("custom_gpus"));
    EXPECT_EQ(complete({{"model", model_}, {"gpus", {"all"}}})["custom_gpus"].size(), 1U);
}

TEST_F(Complete, ChoosesTheGpuWithMostMemoryForAuto) {
    const json args{{"model", model_}, {"gpus", {"auto"}}};
    const auto refused = training_config::complete(args, planning_context_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error()[0].pointer, "/gpus/0");
    planning_context_.devices = {{"crane-1", "Tesla T4", 15'843'721'216},
                                 {"crane-2", "NVIDIA H200", 150'754'820'096}};
    const auto completed = complete(args);
    EXPECT_EQ(completed["custom_gpus"][0]["name"], "NVIDIA H200 (crane-2)");
    EXPECT_EQ(completed["gpus"][0], completed["custom_gpus"][0]["id"]);
}

TEST_F(Complete, CorrectsByMeasurementsOfComparableRuns) {
    const json measured{{"source", "run"},
                        {"args", {{"model", model_}}},
                        {"batch", 8},
                        {"gpu", {{"name", "Tesla T4"}, {"total_bytes", 15'843'721'216}}},
                        {"measured", {{"peak_reserved_bytes", 4'000'000'000}}}};
    const auto stored = measurement_of(measured);
    ASSERT_TRUE(stored);
    keep(kMeasurements, "7", *stored);
    const auto correction = complete({{"model", model_}})["correction"];
    EXPECT_EQ(correction["measurements"][0]["id"], public_id("meas", 7));
    EXPECT_EQ(correction["measurements"][0]["measured_bytes"], 4'000'000'000);
    EXPECT_NEAR(correction["factor"].get<double>(), (*stored)["ratio"].get<double>(), 1e-12);
    EXPECT_EQ(correction["measurements"][0]["gpu_id"], "t4");
    const auto unlike = complete({{"model", model_}, {"training", {{"checkpointing", true}}}});
    EXPECT_FALSE(unlike.contains("correction"));
    const json given{{"factor", 1.5}, {"measurements", json::array()}};
    EXPECT_EQ(complete({{"model", model_}, {"correction", given}})["correction"], given);
    EXPECT_EQ(complete({{"model", model_}, {"correction", nullptr}})["correction"], correction);
}

TEST_F(Complete, RecommendsTheKneeOnceTheSpeedWasMeasured) {
    const auto goal_on = [&](const char* gpu) {
        const auto request = parse_request(complete({{"model", model_}, {"gpus", {gpu}}}));
        return request->report.goal;
    };
    const auto keep_run = [&](const char* id, const json& taken) {
        keep(kMeasurements, id,
             *measurement_of({{"source", "run"},
                              {"args", {{"model", model_}}},
                              {"batch", 8},
                              {"gpu", {{"name", "Tesla T4"}, {"total_bytes", 15'843'721'216}}},
                              {"measured", taken}}));
    };
    keep_run("7", {{"peak_reserved_bytes", 4'000'000'000}});
    EXPECT_EQ(goal_on("t4"), training::Goal::batch) << "its memory alone was measured";
    keep_run("8", {{"peak_reserved_bytes", 4'000'000'000}, {"step_seconds", 0.4}});
    EXPECT_EQ(goal_on("t4"), training::Goal::knee);
    EXPECT_EQ(goal_on("rtx_4090"), training::Goal::batch);
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
