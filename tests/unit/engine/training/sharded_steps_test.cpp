// Peaks of whole training steps on one of several cards against those of
// tests/pytorch/sharded_steps.py: PyTorch's own FSDP2 and DistributedDataParallel over the
// allocator's rules.
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

Sharding sharding_named(const std::string& name) {
    return name == "fsdp"           ? Sharding::fsdp
           : name == "fsdp_grad_op" ? Sharding::fsdp_grad_op
           : name == "ddp"          ? Sharding::ddp
                                    : Sharding::none;
}

TEST(ShardedSteps, EqualPyTorchsOwnSteps) {
    std::ifstream file("tests/unit/engine/training/data/pytorch_2_11_sharded_steps.json");
    const auto rows = nlohmann::json::parse(file);
    std::map<Sharding, int> count;
    for (const auto& row : rows) {
        const auto shape = from_hugging_face(row["config"].dump());
        ASSERT_TRUE(shape) << shape.error().message;
        TrainingSettings t;
        t.batch = row["batch"];
        t.sequence = row["length"];
        t.precision = row["precision"] == "bf16" ? Precision::bf16 : Precision::fp32;
        t.parallel.context = row.value("context", 1);
        t.selective = row.value("selective", false);
        t.attention = t.parallel.context > 1 || t.selective ? Attention::sdpa : Attention::eager;
        t.clip = true;
        t.checkpointing = row["checkpointing"];
        t.lora.rank = row["lora"];
        t.lora.dropout = 0;
        t.sharding = sharding_named(row["sharding"]);
        t.cards = t.sharding == Sharding::none ? 1 : row["cards"].get<int>();
        t.replicas = row.value("replicas", 1);
        t.parallel.tensor = row.value("tensor", 1);
        set_method(t, row.value("method", "supervised"));
        ++count[t.sharding];
        const auto e = estimate(*shape, t, tape_device(*GpuCatalogue().find("a100_80gb")));
        ASSERT_TRUE(e) << e.error().message;
        const double error =
            static_cast<double>(e->peak_allocated) / row["peak"].get<double>() * 100 - 100;
        // Recorded in one pool of blocks; here, FSDP's streams have pools of their own.
        EXPECT_GE(error, -1.2) << row.dump();
        EXPECT_LE(error, 6) << row.dump();
    }
    for (const auto sharding : {Sharding::none, Sharding::ddp, Sharding::fsdp})
        EXPECT_GE(count[sharding], 16);
}

}  // namespace
}  // namespace plimsoll::training
