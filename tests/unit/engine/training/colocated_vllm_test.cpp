// vLLM's weights and cache, held against what its own logs say (llm-d-planner PR 205 and its
// docs/empirical-vllm-memory-results.md), and what does not fit beside a run that trains.
#include "engine/training/estimate/colocated_vllm.hpp"

#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

ColocatedVllm beside(const char* model, VllmBeside vllm, const SearchOptions& search = {}) {
    const auto shape = *preset(model);
    const auto gpu = *GpuCatalogue().find("h100_80gb");
    TrainingSettings settings;
    settings.method = Method::grpo;
    settings.generates = false;
    settings.precision = Precision::bf16;
    settings.checkpointing = true;
    settings.lora.rank = 8;
    settings.sequence = 1024;
    settings.target = 512;
    settings.cards = vllm.cards;
    settings.vllm = vllm;
    RunTapes tapes(shape, settings, tape_device(gpu));
    ReservedPeaks peaks;
    FootprintByBatch footprints(tapes, tape_device(gpu), {}, peaks);
    return *colocated_vllm(shape, settings, gpu, search, footprints);
}

TEST(ColocatedVllm, HasTheWeightsOfPublishedLogs) {
    struct Logged {
        const char* model;
        int cards;
        double gib;
    };
    for (const auto& [model, cards, gib] :
         {Logged{"llama-3.1-8b", 1, 14.99}, Logged{"llama-3.1-8b", 2, 7.51},
          Logged{"llama-3.1-8b", 4, 3.77}, Logged{"qwen2.5-7b", 1, 14.25},
          Logged{"qwen3-0.6b", 1, 1.12}, Logged{"qwen3-14b", 1, 27.52},
          Logged{"qwen3-32b", 1, 61.03}, Logged{"qwen3-32b", 2, 30.59}}) {
        const auto vllm = beside(model, {.share = 0.95, .cards = cards});
        EXPECT_NEAR(static_cast<double>(vllm.weights) / kGiB / gib, 1, 0.01) << model << cards;
    }
}

TEST(ColocatedVllm, HoldsTheTokensOfPublishedLogs) {
    const auto tokens = [](const char* model, double cache_gib) {
        return cache_gib * kGiB / static_cast<double>(beside(model, {.share = 0.5}).text) * 1024;
    };
    EXPECT_NEAR(tokens("llama-3.1-8b", 58.11) / 476'016, 1, 1e-3);
    EXPECT_NEAR(tokens("qwen2.5-7b", 58.53) / 1'096'000, 1, 1e-3);
}

TEST(ColocatedVllm, StartsWithRoomForItsWeightsAndOneText) {
    EXPECT_FALSE(beside("llama-3.1-8b", {.share = 0.189}).starts());
    EXPECT_TRUE(beside("llama-3.1-8b", {.share = 0.195}).starts());
    // 131,072 tokens take 16 GiB.
    EXPECT_FALSE(beside("llama-3.1-8b", {.share = 0.39, .longest = 131'072}).starts());
    EXPECT_TRUE(beside("llama-3.1-8b", {.share = 0.395, .longest = 131'072}).starts());
}

TEST(ColocatedVllm, WakesBesideWhatTheTrainerKeeps) {
    const auto asleep = beside("llama-3.1-8b", {.share = 0.6, .sleeps = true});
    EXPECT_NEAR(static_cast<double>(asleep.standing) / kGiB, 15.0, 0.2) << "weights, and adapters";
    EXPECT_EQ(asleep.resident(), 0);
    EXPECT_TRUE(asleep.fits());
    EXPECT_FALSE(beside("llama-3.1-8b", {.share = 0.7, .sleeps = true}).wakes());
    EXPECT_TRUE(beside("llama-3.1-8b", {.share = 0.7, .sleeps = true}, {.safety = 0.99}).wakes());
}

}  // namespace
}  // namespace plimsoll::training
