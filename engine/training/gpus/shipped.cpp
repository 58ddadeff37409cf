#include "engine/training/gpus/catalogue.hpp"

#include <array>
#include <cstdint>

// The shipped cards as data. Memory is what a CUDA process sees (get_device_properties or the
// "total capacity" of PyTorch's out-of-memory message), which is always below nominal memory. Rates
// and bandwidths are the vendor's, dense, fp32 accumulation; GeForce boards reach that at half of
// the fp16-accumulation rate.

namespace plimsoll::training {
namespace {

struct Row {
    const char *id, *name, *architecture;
    int capability, multiprocessors;
    double sold_gb;
    double memory_mib;
    const char* memory_source;
    double bandwidth_gb_s, fp32, tf32, fp16, bf16;  // TFLOP/s
    const char* rate_source;
};

constexpr auto kSeenInProperties = "total_memory printed by torch.cuda.get_device_properties";
constexpr auto kSeenInOom = "total capacity in PyTorch out-of-memory messages";
constexpr auto kSeenInDeviceQuery = "deviceQuery of the CUDA samples";

constexpr std::array kRows{
    Row{"k80", "NVIDIA Tesla K80 (one of its two GPUs)", "Kepler", 37, 13, 12, 11441,
        kSeenInProperties, 240, 4.37, 0, 0, 0,
        "Tesla K80 board specification BD-07317 (half of the board)"},
    Row{"rtx_3060", "NVIDIA GeForce RTX 3060 12GB", "Ampere", 86, 28, 12, 11931, kSeenInProperties,
        360, 12.7, 12.7, 25.5, 25.5, "GeForce RTX 3060 specification, GA10x whitepaper ratios"},
    Row{"rtx_4070_ti", "NVIDIA GeForce RTX 4070 Ti", "Ada", 89, 60, 12, 12002, kSeenInOom, 504,
        40.1, 40.1, 80.2, 80.2, "Ada GPU architecture whitepaper 2.02, ratios of AD104"},
    Row{"t4", "NVIDIA T4", "Turing", 75, 40, 16, 15095, kSeenInProperties, 320, 8.1, 0, 65, 0,
        "T4 datasheet DS-09256"},
    Row{"v100_16gb", "NVIDIA V100 16GB", "Volta", 70, 80, 16, 16130, kSeenInProperties, 900, 15.7,
        0, 125, 0, "V100 datasheet (SXM2)"},
    Row{"rtx_4080", "NVIDIA GeForce RTX 4080", "Ada", 89, 76, 16, 16049, kSeenInProperties, 716.8,
        48.7, 48.7, 97.5, 97.5, "Ada GPU architecture whitepaper 2.02"},
    Row{"rtx_3090", "NVIDIA GeForce RTX 3090", "Ampere", 86, 82, 24, 24234, kSeenInProperties, 936,
        35.6, 35.6, 71, 71, "GA102 whitepaper 2.1, table 2"},
    Row{"rtx_4090", "NVIDIA RTX 4090", "Ada", 89, 128, 24, 24084, kSeenInOom, 1008, 82.6, 82.6,
        165.2, 165.2, "Ada GPU architecture whitepaper 2.02, table 2"},
    Row{"rtx_6000", "NVIDIA Quadro RTX 6000 24GB", "Turing", 75, 72, 24, 24198, kSeenInOom, 672,
        16.3, 0, 130.5, 0, "Turing architecture whitepaper, table 4"},
    Row{"l4", "NVIDIA L4", "Ada", 89, 58, 24, 22491, kSeenInDeviceQuery, 300, 30.3, 60, 121, 121,
        "L4 datasheet (sparse rates halved)"},
    Row{"a10", "NVIDIA A10", "Ampere", 86, 72, 24, 22515, kSeenInOom, 600, 31.2, 62.5, 125, 125,
        "A10 datasheet"},
    Row{"rtx_5090", "NVIDIA RTX 5090", "Blackwell", 120, 170, 32, 32109, kSeenInOom, 1792, 104.8,
        104.8, 209.5, 209.5, "RTX Blackwell architecture whitepaper 1.1, table 3"},
    Row{"v100_32gb", "NVIDIA V100 32GB", "Volta", 70, 80, 32, 32480, kSeenInOom, 900, 15.7, 0, 125,
        0, "V100 datasheet (SXM2)"},
    Row{"a100_40gb", "NVIDIA A100 40GB", "Ampere", 80, 108, 40, 40339, kSeenInDeviceQuery, 1555,
        19.5, 156, 312, 312, "A100 datasheet (SXM4)"},
    Row{"l40s", "NVIDIA L40S", "Ada", 89, 142, 48, 45466, kSeenInOom, 864, 91.6, 183, 362, 362,
        "L40S datasheet (sparse rates halved)"},
    Row{"rtx_6000_ada", "NVIDIA RTX 6000 Ada Generation", "Ada", 89, 142, 48, 45496,
        "total capacity in PyTorch out-of-memory messages, ECC on (48,640 MiB with ECC off)", 960,
        91.1, 182.1, 364.2, 364.2, "RTX 6000 Ada datasheet, Ada whitepaper 2.02"},
    Row{"a100_80gb", "NVIDIA A100 80GB", "Ampere", 80, 108, 80, 81038, kSeenInOom, 2039, 19.5, 156,
        312, 312, "A100 datasheet (SXM4 80GB)"},
    Row{"h100_80gb", "NVIDIA H100 80GB", "Hopper", 90, 132, 80, 81008, kSeenInOom, 3350, 67, 494.7,
        989.4, 989.4, "H100 datasheet (SXM5, sparse rates halved)"},
    Row{"h100_94gb", "NVIDIA H100 NVL 94GB", "Hopper", 90, 132, 94, 95232, kSeenInOom, 3900, 60,
        417.5, 835.5, 835.5, "H100 datasheet (NVL, sparse rates halved)"},
    Row{"h200", "NVIDIA H200", "Hopper", 90, 132, 141, 143156, kSeenInProperties, 4800, 67, 494.7,
        989.4, 989.4, "H200 datasheet (SXM, sparse rates halved)"},
    Row{"b200", "NVIDIA B200", "Blackwell", 100, 148, 192, 182631, kSeenInProperties, 7700, 75,
        1100, 2250, 2250, "HGX B200 datasheet (an eighth of the board, sparse rates halved)"},
};

// What a training process takes besides PyTorch's reservation: the context, and the kernels and
// handles that it has loaded. Larger chips take more. Older ones' are rounded reports of contexts
// with lazy module loading (CUDA 11.7 and later), not measurements of ours.
Figure context_of(int capability) {
    constexpr double gib = 1024.0 * 1024 * 1024;
    constexpr auto source = "estimate per architecture, CUDA 11.7 or later; not measured";
    if (capability == 90)
        return {0.75 * gib,
                "64 training runs on an H100 80GB, driver 580, CUDA 13: 0.73 to 0.75 GiB"};
    if (capability > 90) return {0.75 * gib, "assumed to equal Hopper's; not measured"};
    if (capability >= 80) return {0.5 * gib, source};
    if (capability >= 70) return {0.4 * gib, source};
    return {0.3 * gib, source};
}

std::optional<GuideSettings> guide_of(std::string_view id) {
    if (id == "rtx_4090")
        return GuideSettings{24, 512, 768, 2, 6, 12, "price/performance on a desk", "The default."};
    if (id == "rtx_5090")
        return GuideSettings{32,
                             1024,
                             1536,
                             2,
                             12,
                             16,
                             "larger batches on a desk",
                             "The guide's text says 2-3 workers, its table 2."};
    if (id == "a100_40gb") return GuideSettings{40, 1024, 2048, 2, 12, 20, "cloud machines", ""};
    if (id == "a100_80gb")
        return GuideSettings{80, 2048, 4096, 3, 16, 26, "production and large runs", ""};
    if (id == "h200")
        return GuideSettings{141,
                             2560,
                             5120,
                             3,
                             25,
                             45,
                             "the largest batches",
                             "In the guide's code, not in its text."};
    return std::nullopt;
}

GpuProfile expand(const Row& row) {
    const auto rate = [&](double tflops) {
        return Figure{tflops * 1e12, tflops > 0 ? row.rate_source : "not offered by this GPU"};
    };
    return {.id = row.id,
            .name = row.name,
            .architecture = row.architecture,
            .compute_capability = row.capability,
            .sold_gb = row.sold_gb,
            .multiprocessors = {static_cast<double>(row.multiprocessors), row.rate_source},
            .memory_bytes = {row.memory_mib * 1024 * 1024, row.memory_source},
            .context_bytes = context_of(row.capability),
            .bandwidth = {row.bandwidth_gb_s * 1e9, row.rate_source},
            .fp32_flops = rate(row.fp32),
            .tf32_flops = rate(row.tf32),
            .fp16_flops = rate(row.fp16),
            .bf16_flops = rate(row.bf16),
            .guide = guide_of(row.id)};
}

}  // namespace

std::span<const GpuProfile> shipped_gpus() {
    static const auto profiles = [] {
        std::vector<GpuProfile> all;
        for (const auto& row : kRows) all.push_back(expand(row));
        return all;
    }();
    return profiles;
}

}  // namespace plimsoll::training
