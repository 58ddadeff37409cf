#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/gpus/custom_gpu.hpp"

#include <algorithm>
#include <set>
#include <sstream>

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
    for (const auto* name : {"RTX_4090", "RTX 4090", "rtx4090", "NVIDIA GeForce RTX 4090"})
        EXPECT_EQ(GpuCatalogue().find(name)->id, "rtx_4090") << name;
}

// As people, launchers, clouds and nvidia-smi write them.
TEST(GpuCatalogue, ResolvesTheUsualNames) {
    const std::pair<const char*, std::string> all[] = {
        {"t4",
         "Tesla T4|NVIDIA T4|t4|T4 x2|2x T4|nvidia-tesla-t4|NVIDIA_TESLA_T4|T4:1|"
         "g4dn.xlarge|g4dn.12xlarge|Standard_NC4as_T4_v3|NC16as T4 v3"},
        {"p100", "Tesla P100-PCIE-16GB|P100|nvidia-tesla-p100"},
        {"p40", "Tesla P40|P40"},
        {"p4", "P4|Tesla P4|nvidia-tesla-p4"},
        {"k80", "Tesla K80|K80"},
        {"v100_16gb",
         "v100|Tesla V100-SXM2-16GB|V100-16GB|V100 16|nvidia-tesla-v100|p3.2xlarge|"
         "p3.16xlarge|ml.p3.8xlarge|Standard_NC6s_v3|8x V100"},
        {"v100_32gb",
         "Tesla V100-SXM2-32GB|V100-32GB|v100-32|V100 32|V100S|Tesla V100S-PCIE-32GB|"
         "p3dn.24xlarge|Tesla V100-SXM3-32GB"},
        {"a100_40gb",
         "A100|a100-40|A100 40|A100-40GB|a100_40g|NVIDIA A100-SXM4-40GB|"
         "NVIDIA A100-PCIE-40GB|nvidia-tesla-a100|8xA100|A100:8|gpu:a100:4|"
         "1x A100 SXM4 40GB|gpu_1x_a100_sxm4|p4d.24xlarge|a2-highgpu-1g|a2-megagpu-16g|"
         "Standard_ND96asr_v4|DGX A100 40GB|a100x8"},
        {"a100_80gb",
         "a100-80|A100 80|A100-80G|A100 80GB|A100-80GB:8|NVIDIA A100-SXM4-80GB|"
         "NVIDIA A100 80GB PCIe|nvidia-a100-80gb|A100X|p4de.24xlarge|a2-ultragpu-8g|"
         "Standard_NC24ads_A100_v4|ND96amsr_A100_v4|4x A100 80GB|a100-sxm-80gb"},
        {"a800_80gb", "A800|NVIDIA A800-SXM4-80GB|a800-80"},
        {"h800", "H800|h800|NVIDIA H800|h800-80gb|NVIDIA H800 80GB HBM3|8xH800"},
        {"h100_80gb",
         "h100|H100 SXM|H100-SXM5|NVIDIA H100 80GB HBM3|H100-80GB|h100-80|8xH100|"
         "8 x H100|H100:8|nvidia-h100-80gb|NVIDIA_H100_80GB|gpu_8x_h100_sxm5|HGX H100|"
         "p5.48xlarge|a3-highgpu-8g|a3-megagpu-8g|Standard_ND96isr_H100_v5|H100x8"},
        {"h100_pcie", "NVIDIA H100 PCIe|h100_pcie|H100-PCIe"},
        {"h100_94gb", "NVIDIA H100 NVL|H100 94GB|h100-94|H100 NVL 94GB|Standard_NC40ads_H100_v5"},
        {"h200",
         "H200|NVIDIA H200|H200 SXM|H200-141GB|NVIDIA H200 NVL|H200 NVL|p5e.48xlarge|"
         "p5en.48xlarge|a3-ultragpu-8g|ND96isr_H200_v5"},
        {"gh200", "NVIDIA GH200 480GB|GH200|GH200 96GB"},
        {"h20", "H20|NVIDIA H20|H20 96GB|h20-96"},
        {"b200", "B200|NVIDIA B200|B200 180GB|B200 192GB|p6-b200.48xlarge|a4-highgpu-8g|8x B200"},
        {"b300", "B300|p6-b300.48xlarge"},
        {"gb200", "GB200|a4x-highgpu-4g"},
        {"l4", "L4|NVIDIA L4|nvidia-l4|g2-standard-4|g6.xlarge|L4:1|4x L4"},
        {"l40s", "L40S|NVIDIA L40S|l40s-48gb|g6e.2xlarge"},
        {"l40", "L40|NVIDIA L40"},
        {"a10g", "A10G|NVIDIA A10G|g5|g5.xlarge|g5.48xlarge|ml.g5.2xlarge|a10g-24gb"},
        {"a10", "A10|NVIDIA A10|a10 24gb"},
        {"a30", "A30|NVIDIA A30"},
        {"a40", "A40|NVIDIA A40|a40-48gb|A40 48"},
        {"rtx_a6000", "RTX A6000|NVIDIA RTX A6000|A6000|rtxa6000|A6000 48GB|rtx-a6000"},
        {"rtx_a5000", "RTX A5000|A5000|NVIDIA RTX A5000"},
        {"rtx_a4000", "RTX A4000|A4000"},
        {"rtx_6000_ada",
         "NVIDIA RTX 6000 Ada Generation|RTX 6000 Ada|6000 Ada|rtx6000ada|RTX-6000-Ada"},
        {"rtx_6000", "Quadro RTX 6000|rtx_6000"},
        {"rtx_pro_6000",
         "RTX PRO 6000|NVIDIA RTX PRO 6000 Blackwell Workstation Edition|"
         "RTX PRO 6000 Blackwell Max-Q Workstation Edition|"
         "NVIDIA RTX PRO 6000 Blackwell Server Edition|PRO 6000|RTX PRO 6000 96GB|"
         "g7e.2xlarge"},
        {"rtx_5090",
         "5090|RTX 5090|NVIDIA GeForce RTX 5090|rtx-5090|geforce 5090|RTX5090 32GB|"
         "2x 5090"},
        {"rtx_5080", "RTX 5080|NVIDIA GeForce RTX 5080"},
        {"rtx_4090",
         "4090|RTX 4090|NVIDIA GeForce RTX 4090|rtx4090|GeForce RTX 4090 24GB|2x4090|"
         "2 x RTX 4090|RTX-4090|4090 24|rtx_4090|4090 Founders Edition"},
        {"rtx_4090_d", "RTX 4090 D|NVIDIA GeForce RTX 4090 D|4090D"},
        {"rtx_4060_ti_16gb", "4060 Ti 16 GB|4060ti 16g|RTX 4060 Ti 16GB|4060 Ti 16"},
        {"rtx_3090", "3090|RTX 3090|NVIDIA GeForce RTX 3090|3090 24GB|4x3090"},
        {"rtx_3090_ti", "3090 Ti|RTX 3090Ti|3090ti"},
        {"rtx_3080", "3080|RTX 3080|3080 10GB"},
        {"rtx_3080_12gb", "RTX 3080 12GB|3080 12"},
        {"rtx_3080_ti", "NVIDIA GeForce RTX 3080 Ti|3080ti"},
        {"rtx_3060", "3060|RTX 3060 12GB|NVIDIA GeForce RTX 3060"},
        {"rtx_2080_ti", "2080 Ti|RTX 2080 Ti|NVIDIA GeForce RTX 2080 Ti|2080ti"},
        {"gtx_1080_ti", "GTX 1080 Ti|1080ti|NVIDIA GeForce GTX 1080 Ti"},
        {"titan_rtx", "TITAN RTX|NVIDIA TITAN RTX"},
        {"mi210", "AMD Instinct MI210|mi210"},
        {"mi250x", "MI250X|mi250|AMD Instinct MI250|AMD Instinct MI250X"},
        {"mi300x", "MI300X|AMD Instinct MI300X|mi300x|8x MI300X|ND96isr_MI300X_v5"},
        {"mi325x", "MI325X"},
    };
    std::size_t spellings = 0;
    for (const auto& [id, names] : all) {
        std::istringstream list(names);
        for (std::string name; std::getline(list, name, '|'); ++spellings) {
            const auto found = GpuCatalogue().find(name);
            EXPECT_TRUE(found) << name << ": " << found.error().message;
            if (found) EXPECT_EQ(found->id, id) << name;
        }
    }
    EXPECT_GE(spellings, 150U);
    EXPECT_GE(shipped_gpus().size(), 70U);
    EXPECT_LE(std::ranges::count(shipped_gpus(), true, &GpuProfile::common), 32);
}

// Nothing stands for a card with more memory, of a newer generation, or for a part of one.
TEST(GpuCatalogue, RefusesWhatIsNoneOfItsCards) {
    for (const auto* name : {"4090 laptop",
                             "NVIDIA GeForce RTX 4090 Laptop GPU",
                             "RTX 4080 Mobile",
                             "RTX 3070 laptop",
                             "4090m",
                             "A100 MIG 1g.5gb",
                             "A100 64GB",
                             "H100 120GB",
                             "RTX Z6000",
                             "V100 64",
                             "M60",
                             "Gaudi2",
                             "TPU v5e",
                             "trn1.32xlarge",
                             "inf2.xlarge",
                             "g4ad.xlarge",
                             "RTX 6090",
                             "MI400",
                             "Standard_NV6ads_A10_v5",
                             "B100 1",
                             "5090 48GB",
                             "h100-40",
                             "p2",
                             "8"}) {
        const auto found = GpuCatalogue().find(name);
        EXPECT_FALSE(found) << name << ": " << found->id;
    }
}

TEST(GpuCatalogue, SuggestsOnlyWhatCanBeMeant) {
    const auto says = [](const char* name) { return GpuCatalogue().find(name).error().message; };
    EXPECT_EQ(GpuCatalogue().find("rtx_9999").error().code, Errc::not_found);
    EXPECT_THAT(says("rtx_9999"), HasSubstr("--gpu-memory 24"));
    EXPECT_THAT(says("rtx_9999"), Not(HasSubstr("Did you mean")));
    EXPECT_THAT(says("rtx 490"), HasSubstr("Did you mean \"rtx_4090\"?"));
    EXPECT_THAT(says("RTX PRO 5500"), Not(HasSubstr("Did you mean")));
    EXPECT_THAT(says("A100 64GB"), HasSubstr("There is a100_40gb, a100_80gb."));
    EXPECT_THAT(says("RTX Z6000"), Not(HasSubstr("Did you mean")));
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
    // Of less memory than any profile of its generation, it is still of that.
    const auto laptop = profile_for({"NVIDIA GeForce RTX 3050 6GB Laptop GPU", 6 * gib});
    EXPECT_EQ(laptop.architecture, "Ampere");
    EXPECT_EQ(laptop.total_bytes(), 6 * gib);
    EXPECT_TRUE(profile_for({"custom", 4 * gib}).has_bf16());
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
    EXPECT_TRUE(profile_for({"custom", 24 * gib}).has_bf16());  // not a P40
}

TEST(GpuCatalogue, CountsTheCardsOfAName) {
    for (const auto* name : {"8xH100", "8x H100 80GB", "8 x A100", "h100x8", "T4 x8", "gpu:a100:8"})
        EXPECT_EQ(cards_in(name), 8) << name;
    for (const auto* name : {"MI300X", "rtx_5090", "RX 7900 XTX", "GTX 1080", "V100-SXM2-16GB"})
        EXPECT_EQ(cards_in(name), 1) << name;
    EXPECT_EQ(GpuCatalogue().find("RTX 6000 Pro")->id, "rtx_pro_6000");
    EXPECT_EQ(GpuCatalogue().find("DGX Spark")->id, "gb10");
}

}  // namespace
}  // namespace plimsoll::training
