// Peaks of whole training steps, of every family and with quantised weights, against those of
// tests/pytorch/whole_steps.py: PyTorch's own dispatcher and autograd over the allocator's rules.
#include "engine/training/estimate/estimate.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/hugging_face.hpp"
#include "tests/unit/engine/training/recorded_method.hpp"

#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::training {
namespace {

TrainingSettings settings_of(const nlohmann::json& row, const ModelShape& shape) {
    TrainingSettings t;
    t.batch = row["batch"];
    t.sequence = shape.sample_length() > 0 ? shape.sample_length() : row["length"].get<int>();
    t.precision = row["precision"] == "fp32"   ? Precision::fp32
                  : row["precision"] == "bf16" ? Precision::bf16
                                               : Precision::bf16_autocast;
    t.attention = row["attention"] == "eager"  ? Attention::eager
                  : row["attention"] == "sdpa" ? Attention::sdpa
                                               : Attention::flash;
    const std::string method = row["method"];
    t.method = method.starts_with("dpo")    ? Method::dpo
               : method == "kto"            ? Method::kto
               : method == "orpo"           ? Method::orpo
               : method == "reward"         ? Method::reward
               : method.starts_with("grpo") ? Method::grpo
               : method.starts_with("ppo")  ? Method::ppo
                                            : Method::supervised;
    if (method.ends_with(", none")) t.reference = Reference::none;
    if (t.method == Method::grpo) {
        t.target = t.sequence / 2;
        if (!method.ends_with(", reference")) t.reference = Reference::none;
        t.generates = method == "grpo" || method.ends_with(", many");
        if (method.ends_with(", many")) t.accumulation = 2, t.generated = 64 * t.batch;
    }
    if (t.method == Method::ppo) {
        t.target = t.sequence / 2;
        if (method.ends_with(", many")) t.accumulation = 2, t.generated = 8 * t.batch;
    }
    t.whole_logits = method.ends_with(", whole");
    t.packed = row["method"] == "packed";
    t.fused_loss = row["method"] == "fused_loss";
    t.lora.dora = row["method"] == "dora";
    t.kernel = OptimizerKernel::foreach;
    t.clip = t.method != Method::ppo;
    t.checkpointing = row["checkpointing"];
    t.checkpointed_every = method == "every_2" ? 2 : 1;
    t.padded = row["padded"];
    t.lora.rank = row["lora"];
    t.lora.wide = row["adapters"] == "fp32"   ? Lora::Wide::adapters
                  : row["adapters"] == "bf16" ? Lora::Wide::narrow
                                              : Lora::Wide::none;
    if (method.starts_with("whole")) set_method(t, method);
    t.quantization = quantization_of(row);
    return t;
}

// Returns the families of the rows.
std::set<Family> compare_peaks(const char* name, std::size_t at_least, double min = 1) {
    std::ifstream file(std::string("tests/unit/engine/training/data/") + name);
    const auto rows = nlohmann::json::parse(file);
    EXPECT_GE(rows.size(), at_least);
    std::set<Family> families;
    for (const auto& row : rows) {
        const auto shape = from_hugging_face(row["config"].dump());
        EXPECT_TRUE(shape) << shape.error().message;
        families.insert(shape->family);
        const auto device = tape_device(*GpuCatalogue().find(row["gpu"].get<std::string>()));
        const auto e = estimate(*shape, settings_of(row, *shape), device);
        EXPECT_TRUE(e) << e.error().message;
        const double real = row["peak"], ours = static_cast<double>(e->peak_allocated);
        EXPECT_GE(ours, min * real) << row.dump();
        EXPECT_LE(ours, 1.025 * real) << row.dump();
    }
    return families;
}

TEST(WholeSteps, EqualPyTorchsOwnSteps) {
    EXPECT_GE(compare_peaks("pytorch_2_11_whole_steps.json", 231).size(), 16U);
}

// Shapes that others have published and no case was written for, drawn by
// tests/pytorch/fresh_shapes.py.
TEST(WholeSteps, OfPublishedShapesEqualPyTorchsOwnSteps) {
    EXPECT_GE(compare_peaks("pytorch_2_11_fresh_steps.json", 60).size(), 15U);
}

// Those of TRL's trainers of preferences, by tests/pytorch/preference_steps.py.
TEST(WholeSteps, OfPreferencesEqualTrlsOwnSteps) {
    EXPECT_EQ(compare_peaks("trl_1_16_preference_steps.json", 40, 0.993).size(), 3U);
}

// Of TRL's PPOTrainer, by tests/pytorch/ppo_steps.py.
TEST(WholeSteps, OfPpoEqualTrlsOwnSteps) {
    EXPECT_EQ(compare_peaks("trl_1_12_ppo_steps.json", 23, 0.997).size(), 3U);
}

}  // namespace
}  // namespace plimsoll::training
