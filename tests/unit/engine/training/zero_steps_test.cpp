// Peaks of whole training steps under ZeRO against those of tests/pytorch/zero_steps.py: DeepSpeed
// itself over the allocator's rules.
#include "engine/training/estimate/estimate.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/hugging_face.hpp"
#include "tests/unit/engine/training/recorded_method.hpp"

#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::training {
namespace {

TEST(ZeroSteps, EqualDeepSpeedsOwnSteps) {
    std::ifstream file("tests/unit/engine/training/data/deepspeed_0_19_zero_steps.json");
    const auto rows = nlohmann::json::parse(file);
    const std::map<std::string, Sharding> stages = {
        {"zero1", Sharding::zero1}, {"zero2", Sharding::zero2}, {"zero3", Sharding::zero3}};
    const std::map<std::string, Offload> offloads = {{"none", Offload::none},
                                                     {"optimizer", Offload::optimizer},
                                                     {"parameters", Offload::parameters}};
    std::map<Sharding, int> count;
    for (const auto& row : rows) {
        const auto shape = from_hugging_face(row["config"].dump());
        ASSERT_TRUE(shape) << shape.error().message;
        TrainingSettings t;
        t.batch = row["batch"];
        t.sequence = row["length"];
        t.accumulation = row["accumulation"];
        t.precision = row["precision"] == "bf16" ? Precision::bf16 : Precision::fp32;
        t.attention = Attention::eager;
        t.kernel = OptimizerKernel::fused;
        t.clip = true;
        t.checkpointing = row["checkpointing"];
        t.lora.rank = row["lora"];
        t.lora.dropout = 0;
        t.offload = offloads.at(row["offload"]);
        t.sharding = stages.at(row["sharding"]);
        t.cards = row["cards"];
        t.bucket = row.value("bucket", std::int64_t{0});
        set_method(t, row.value("method", "supervised"));
        t.quantization = quantization_of(row);
        ++count[t.sharding];
        const auto e = estimate(*shape, t, tape_device(*GpuCatalogue().find("a100_80gb")));
        ASSERT_TRUE(e) << e.error().message;
        const double error =
            static_cast<double>(e->peak_allocated) / row["peak"].get<double>() * 100 - 100;
        EXPECT_GE(error, -1) << row.dump();
        EXPECT_LE(error, 6) << row.dump();
    }
    for (const auto& [name, stage] : stages) EXPECT_GE(count[stage], 16) << name;
}

}  // namespace
}  // namespace plimsoll::training
