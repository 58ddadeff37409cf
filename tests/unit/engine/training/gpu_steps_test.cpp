// Whole training steps on a real GPU (data/README.md): what PyTorch reserved and allocated there,
// against the estimate.
#include "engine/training/advice/throughput.hpp"
#include "engine/training/estimate/estimate.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "tests/unit/engine/training/measured_configs.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

// In percent, above 0: more was estimated.
double deviation(std::int64_t ours, std::int64_t real) {
    return (static_cast<double>(ours) / static_cast<double>(real) - 1) * 100;
}

double quantile_of(std::vector<double> deviations, double part) {
    for (auto& one : deviations) one = std::abs(one);
    std::ranges::sort(deviations);
    return deviations[static_cast<std::size_t>(
        std::lround(part * static_cast<double>(deviations.size() - 1)))];
}

TEST(GpuSteps, EstimatesEqualARealGpu) {
    const auto device = tape_device(*GpuCatalogue().find("h100_80gb"));
    std::vector<double> reserved, allocated;
    for (const auto& c : measured_configs("nvidia_gpu_steps.json")) {
        const auto e = estimate(c.shape, c.settings, device);
        ASSERT_TRUE(e) << c.name << e.error().message;
        if (!c.max_reserved) continue;  // ran out of memory
        reserved.push_back(deviation(e->peak_reserved, *c.max_reserved));
        allocated.push_back(deviation(e->peak_allocated, *c.max_allocated));
        // What cuDNN reserves is a guess from two runs; experts are not used evenly.
        const bool known = c.shape.family != Family::lstm && c.shape.family != Family::naics;
        EXPECT_GT(reserved.back(), c.shape.family == Family::lstm ? -3 : -0.25) << c.name;
        EXPECT_LT(reserved.back(), known ? 2.5 : 5.5) << c.name;
        EXPECT_GE(allocated.back(), 0) << c.name;
        EXPECT_LT(allocated.back(), 2.5) << c.name;
    }
    EXPECT_GE(reserved.size(), 148U);
    EXPECT_LT(quantile_of(reserved, 0.5), 0.01);
    EXPECT_LT(quantile_of(reserved, 0.9), 0.1);
    EXPECT_LT(quantile_of(allocated, 0.5), 0.35);
    EXPECT_LT(quantile_of(allocated, 0.9), 0.7);
}

// Of the model, whose constants for the host are those of half of the first 64 rows.
TEST(GpuSteps, SpeedIsNearThatOfARealGpu) {
    const auto gpu = *GpuCatalogue().find("h100_80gb");
    std::ifstream file("tests/unit/engine/training/data/nvidia_gpu_steps.json");
    std::vector<double> speeds;
    for (const auto& row : nlohmann::json::parse(file)) {
        if (!row.contains("step_ms")) continue;
        const auto c = read_config(row);
        const auto e = estimate(c.shape, c.settings, tape_device(gpu));
        ASSERT_TRUE(e) << c.name;
        const auto ours = model_throughput(e->work, c.settings, gpu).step_seconds * 1000;
        speeds.push_back((row.at("step_ms").get<double>() / ours - 1) * 100);
    }
    EXPECT_GE(speeds.size(), 64U);
    EXPECT_LT(quantile_of(speeds, 0.5), 15);
    EXPECT_LT(quantile_of(speeds, 0.9), 30);
}

// Of the runs under a limit of memory, like a smaller card, none ran out that fits by the estimate.
TEST(GpuSteps, WhatFitsByTheEstimateFitsOnARealGpu) {
    const auto device = tape_device(*GpuCatalogue().find("h100_80gb"));
    std::ifstream file("tests/unit/engine/training/data/nvidia_gpu_steps.json");
    int limited = 0;
    for (const auto& row : nlohmann::json::parse(file)) {
        if (row.at("limit").is_null()) continue;
        ++limited;
        const auto c = read_config(row);
        const auto e = estimate(c.shape, c.settings, device);
        ASSERT_TRUE(e) << c.name;
        if (e->peak_reserved <= row.at("limit").get<std::int64_t>())
            EXPECT_TRUE(row.at("ran").get<bool>()) << row.dump();
    }
    EXPECT_GE(limited, 52);
}

TEST(GpuSteps, MemoryOutsidePyTorchIsTheCataloguesContext) {
    const auto gpu = *GpuCatalogue().find("h100_80gb");
    std::ifstream file("tests/unit/engine/training/data/nvidia_gpu_steps.json");
    for (const auto& row : nlohmann::json::parse(file))
        if (row.contains("beside"))
            EXPECT_NEAR(gpu.context_bytes.value, row.at("beside").get<double>(),
                        0.03 * gpu.context_bytes.value)
                << row.dump();
}

}  // namespace
}  // namespace plimsoll::training
