#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/gpus/custom_gpu.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

namespace plimsoll::training {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(GpuCatalogue, ShipsEveryCardOnceWithASourceForEveryNumber) {
    std::set<std::string> ids;
    for (const auto& gpu : shipped_gpus()) {
        EXPECT_TRUE(ids.insert(gpu.id).second) << gpu.id;
        for (const auto* figure :
             {&gpu.memory_bytes, &gpu.context_bytes, &gpu.bandwidth, &gpu.fp32_flops,
              &gpu.tf32_flops, &gpu.fp16_flops, &gpu.bf16_flops})
            EXPECT_FALSE(figure->source.empty()) << gpu.id;
        const double sold = gpu.sold_gb * 1024 * 1024 * 1024;
        EXPECT_LT(gpu.memory_bytes.value, sold) << gpu.id;
        EXPECT_GT(gpu.memory_bytes.value, 0.9 * sold) << gpu.id;
    }
    for (const auto* id :
         {"k80",         "t4",       "v100_16gb", "v100_32gb", "rtx_3060",  "rtx_3090",
          "rtx_4070_ti", "rtx_4080", "rtx_4090",  "rtx_5090",  "rtx_6000",  "rtx_6000_ada",
          "l4",          "l40s",     "a10",       "a100_40gb", "a100_80gb", "h100_80gb",
          "h100_94gb",   "h200",     "b200"})
        EXPECT_TRUE(ids.contains(id)) << id;
}

TEST(GpuCatalogue, AcceptsNamesAsPeopleWriteThem) {
    for (const auto* name : {"RTX_4090", "RTX 4090", "rtx4090", "NVIDIA GeForce RTX 4090"}) {
        EXPECT_EQ(GpuCatalogue().find(name)->id, "rtx_4090") << name;
    }
}

// As people, clouds and nvidia-smi write them.
TEST(GpuCatalogue, ResolvesTheUsualNames) {
    const std::pair<const char*, const char*> all[] = {
        {"h100", "h100_80gb"},
        {"A100", "a100_40gb"},
        {"4090", "rtx_4090"},
        {"RTX A6000", "rtx_a6000"},
        {"A10G", "a10g"},
        {"A100-80G", "a100_80gb"},
        {"2080 Ti", "rtx_2080_ti"},
        {"4060 Ti 16 GB", "rtx_4060_ti_16gb"},
        {"B200 180GB", "b200"},
        {"MI300X", "mi300x"},
        {"NVIDIA H100 80GB HBM3", "h100_80gb"},
        {"NVIDIA H100 PCIe", "h100_pcie"},
        {"NVIDIA H100 NVL", "h100_94gb"},
        {"NVIDIA A100-SXM4-40GB", "a100_40gb"},
        {"Tesla V100-SXM2-32GB", "v100_32gb"},
        {"Tesla P100-PCIE-16GB", "p100"},
        {"Tesla T4", "t4"},
        {"NVIDIA GH200 480GB", "gh200"},
        {"NVIDIA RTX 6000 Ada Generation", "rtx_6000_ada"},
        {"Quadro RTX 6000", "rtx_6000"},
        {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx_pro_6000"},
        {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "rtx_pro_6000"},
        {"NVIDIA GeForce RTX 3080 Ti", "rtx_3080_ti"},
        {"AMD Instinct MI210", "mi210"},
    };
    for (const auto& [name, id] : all) {
        const auto found = GpuCatalogue().find(name);
        ASSERT_TRUE(found) << name << ": " << found.error().message;
        EXPECT_EQ(found->id, id) << name;
    }
    EXPECT_GE(shipped_gpus().size(), 70U);
    EXPECT_LE(std::ranges::count(shipped_gpus(), true, &GpuProfile::common), 32);
}

TEST(GpuCatalogue, SuggestsOnlyWhatCanBeMeant) {
    const auto says = [](const char* name) { return GpuCatalogue().find(name).error().message; };
    EXPECT_EQ(GpuCatalogue().find("rtx_9999").error().code, Errc::not_found);
    EXPECT_THAT(says("rtx_9999"), HasSubstr("--gpu-memory 24"));
    EXPECT_THAT(says("rtx_9999"), Not(HasSubstr("Did you mean")));
    EXPECT_THAT(says("rtx 490"), HasSubstr("Did you mean \"rtx_4090\"?"));
    EXPECT_THAT(says("RTX PRO 5500"), Not(HasSubstr("Did you mean")));
    EXPECT_THAT(says("A100 64GB"), HasSubstr("There is a100_40gb, a100_80gb."));
    EXPECT_THAT(says("Gaudi 3"), HasSubstr("Gaudi runs no CUDA"));
    EXPECT_THAT(says("NVIDIA GeForce RTX 4090 Laptop GPU"), HasSubstr("less memory"));
}

TEST(GpuCatalogue, CustomProfilesAreFoundAndMayReplaceShippedOnes) {
    const auto mine = make_custom_gpu(
        {.id = "my_card", .memory_gib = 16, .bandwidth_gb_s = 500, .fp32_tflops = 20});
    ASSERT_TRUE(mine);
    const GpuCatalogue catalogue(std::span(&*mine, 1));
    EXPECT_EQ(catalogue.find("my_card")->total_bytes(), 17179869184);
    EXPECT_EQ(catalogue.all().size(), shipped_gpus().size() + 1);
}

TEST(GpuCatalogue, CustomProfilesNameTheFieldThatIsWrong) {
    CustomGpu gpu{.id = "x", .memory_gib = -1, .bandwidth_gb_s = 500, .fp32_tflops = 20};
    EXPECT_EQ(make_custom_gpu(gpu).error().where, "/memory_gib");
    gpu.memory_gib = 8;
    gpu.id = "My Card";
    EXPECT_EQ(make_custom_gpu(gpu).error().where, "/id");
    gpu.id = "x";
    gpu.bandwidth_gb_s = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(make_custom_gpu(gpu).error().where, "/bandwidth_gb_s");
}

TEST(GpuCatalogue, ARealCardFindsItsProfileByNameThenByMemory) {
    constexpr std::int64_t gib = 1LL << 30;
    EXPECT_EQ(profile_for({"NVIDIA A100-SXM4-80GB", 79 * gib}).id, "a100_80gb");
    EXPECT_EQ(profile_for({"NVIDIA A100-SXM4-40GB", 39 * gib}).id, "a100_40gb");
    EXPECT_EQ(profile_for({"NVIDIA RTX 6000 Ada Generation", 47 * gib}).id, "rtx_6000_ada");
    EXPECT_EQ(profile_for({"Quadro RTX 6000", 23 * gib}).id, "rtx_6000");
    EXPECT_EQ(profile_for({"NVIDIA H200", 139 * gib}).total_bytes(), 139 * gib);
    EXPECT_EQ(profile_for({"NVIDIA GeForce RTX 5090", 31 * gib}).id, "rtx_5090");
    EXPECT_EQ(profile_for({"NVIDIA GeForce RTX 3090", 23 * gib}).id, "rtx_3090");
    EXPECT_EQ(profile_for({"NVIDIA H100 80GB HBM3", 79 * gib}).id, "h100_80gb");
    EXPECT_EQ(profile_for({"NVIDIA L40S", 44 * gib}).id, "l40s");
    EXPECT_EQ(profile_for({"Tesla T4", 15 * gib}).id, "t4");
    EXPECT_EQ(profile_for({"Tesla V100-SXM2-32GB", 31 * gib}).id, "v100_32gb");
}

TEST(GpuCatalogue, UsesTheGenerationOfAnUnknownCard) {
    constexpr std::int64_t gib = 1LL << 30;
    EXPECT_EQ(profile_for({"NVIDIA RTX A5000", 23 * gib}).architecture, "Ampere");
    EXPECT_EQ(profile_for({"Quadro RTX 5000", 16 * gib}).architecture, "Turing");
    EXPECT_EQ(profile_for({"NVIDIA RTX 4000 Ada Generation", 20 * gib}).architecture, "Ada");
    EXPECT_EQ(profile_for({"NVIDIA GeForce RTX 5080", 16 * gib}).sold_gb, 16);
    EXPECT_EQ(profile_for({"NVIDIA RTX PRO 7000 Blackwell", 95 * gib}).architecture, "Blackwell");
    EXPECT_EQ(profile_for({"Something Else 80", 79 * gib}).id, "a100_80gb");
    EXPECT_EQ(profile_for({"A card", 79 * gib}).id, "a100_80gb");
    EXPECT_FALSE(profile_named({"A card", 79 * gib}));
}

}  // namespace
}  // namespace plimsoll::training
