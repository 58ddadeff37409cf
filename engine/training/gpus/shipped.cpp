#include "engine/training/gpus/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

// The shipped cards as data. Memory is what a CUDA process sees (get_device_properties or the
// "total capacity" of PyTorch's out-of-memory message), which is always below nominal memory. Rates
// and bandwidths are the vendor's, dense, fp32 accumulation; GeForce boards reach that at half of
// the fp16-accumulation rate. AMD's capabilities are the numbers of their gfx targets.
// Of cards that are not kCommon, rates and bandwidths were written down from memory of the document
// that the row names, and not looked up in it since: check a row before relying on its speed.

namespace plimsoll::training {
namespace {

enum class Comparison : std::uint8_t { rare, common };
constexpr auto kCommon = Comparison::common;

struct Row {
    const char *id, *name;
    int capability, multiprocessors;
    double sold_gb;
    double memory_mib;
    const char* memory_source;
    double bandwidth_gb_s, fp32, tf32, fp16;  // TFLOP/s; bf16's rate is that of fp16
    const char* rate_source;
    Comparison comparison = Comparison::rare;
};

constexpr auto kSeenInProperties = "total_memory printed by torch.cuda.get_device_properties";
constexpr auto kSeenInOom = "total capacity in PyTorch out-of-memory messages";
constexpr auto kSeenInDeviceQuery = "deviceQuery of the CUDA samples";
constexpr auto kReported =
    "total that drivers and tools are reported to print for it; not checked against a card";
constexpr auto kEccOn =
    "total capacity in PyTorch out-of-memory messages, ECC on (48,622 MiB with ECC off)";
constexpr auto kLikeA100 = "assumed to equal the A100 80GB's, whose memory it has";
constexpr auto kLikeL40s = "assumed to equal the L40S's, whose memory it has";
constexpr auto kLikeH100 = "assumed to equal the H100 80GB's, whose memory it has";
constexpr auto kLike4090 = "assumed to equal the RTX 4090's, whose memory it has";
constexpr auto kLike4070Ti = "assumed to equal the RTX 4070 Ti's, whose memory it has";
constexpr auto kLike4070TiSuper = "assumed to equal the RTX 4070 Ti SUPER's, whose memory it has";
constexpr auto kLike5070Ti = "assumed to equal the RTX 5070 Ti's, whose memory it has";
constexpr auto kK80 = "Tesla K80 board specification BD-07317 (half of the board)";
constexpr auto kPascal = "Pascal product specifications; fp16 runs at 1/64 of the fp32 rate";
constexpr auto kP100 = "Tesla P100 PCIe datasheet";
constexpr auto kVolta = "V100 datasheet (SXM2), TITAN V specification";
constexpr auto kT4 = "T4 datasheet DS-09256";
constexpr auto kTuring = "Turing architecture whitepaper; GeForce's fp16 with fp32 accumulation";
constexpr auto kGa10x = "GA102 whitepaper 2.1, table 2, and its ratios for other GA10x chips";
constexpr auto kDatasheet = "NVIDIA's datasheet (SXM where there are two)";
constexpr auto kAda =
    "Ada GPU architecture whitepaper 2.02, table 2, and its ratios for other chips";
constexpr auto kSparse = "NVIDIA's datasheet (SXM where there are two, sparse rates halved)";
constexpr auto kBlackwell =
    "RTX Blackwell architecture whitepaper 1.1, table 3, and its ratios for other chips";
constexpr auto kProBlackwell = "NVIDIA's datasheet; fp16 is an eighth of the sparse fp4 rate";
constexpr auto kB200 = "HGX B200 datasheet (an eighth of the board, sparse rates halved)";
constexpr auto kInstinct = "AMD Instinct datasheet (dense rates, per device that a process sees)";
constexpr auto kNominal =
    "4 % below what is sold, which is what CUDA leaves of memory of this kind; not seen";

constexpr std::array kRows{
    Row{"k80", "NVIDIA Tesla K80 (one of its two GPUs)", 37, 13, 12, 11441, kSeenInProperties, 240,
        4.37, 0, 0, kK80, kCommon},
    Row{"gtx_1060", "NVIDIA GeForce GTX 1060 6GB", 61, 10, 6, 6078, kReported, 192, 4.4, 0, 0,
        kPascal},
    Row{"gtx_1070", "NVIDIA GeForce GTX 1070", 61, 15, 8, 8119, kReported, 256, 6.5, 0, 0, kPascal},
    Row{"gtx_1080", "NVIDIA GeForce GTX 1080", 61, 20, 8, 8118, kReported, 320, 8.9, 0, 0, kPascal},
    Row{"gtx_1080_ti", "NVIDIA GeForce GTX 1080 Ti", 61, 28, 11, 11178, kReported, 484, 11.3, 0, 0,
        kPascal},
    Row{"titan_xp", "NVIDIA TITAN Xp", 61, 30, 12, 12196, kReported, 548, 12.1, 0, 0, kPascal},
    Row{"p4", "NVIDIA Tesla P4", 61, 20, 8, 7611, kReported, 192, 5.5, 0, 0, kPascal},
    Row{"p40", "NVIDIA Tesla P40", 61, 30, 24, 22919, kReported, 346, 11.8, 0, 0, kPascal},
    Row{"p100", "NVIDIA Tesla P100 16GB", 60, 56, 16, 16280, kReported, 732, 9.3, 0, 18.7, kP100},
    Row{"quadro_p6000", "NVIDIA Quadro P6000", 61, 30, 24, 23593, kNominal, 432, 12.6, 0, 0,
        kPascal},
    Row{"titan_v", "NVIDIA TITAN V", 70, 80, 12, 12066, kReported, 653, 14.9, 0, 110, kVolta},
    Row{"v100_16gb", "NVIDIA V100 16GB", 70, 80, 16, 16130, kSeenInProperties, 900, 15.7, 0, 125,
        kVolta, kCommon},
    Row{"v100_32gb", "NVIDIA V100 32GB", 70, 80, 32, 32480, kSeenInOom, 900, 15.7, 0, 125, kVolta,
        kCommon},
    Row{"gtx_1660_ti", "NVIDIA GeForce GTX 1660 Ti", 75, 24, 6, 5747, kReported, 288, 5.4, 0, 10.9,
        kTuring},
    Row{"rtx_2060", "NVIDIA GeForce RTX 2060", 75, 30, 6, 5929, kReported, 336, 6.5, 0, 25.8,
        kTuring},
    Row{"rtx_2060_super", "NVIDIA GeForce RTX 2060 SUPER", 75, 34, 8, 7864, kNominal, 448, 7.2, 0,
        28.7, kTuring},
    Row{"rtx_2070", "NVIDIA GeForce RTX 2070", 75, 36, 8, 7982, kReported, 448, 7.5, 0, 29.9,
        kTuring},
    Row{"rtx_2070_super", "NVIDIA GeForce RTX 2070 SUPER", 75, 40, 8, 7982, kReported, 448, 9.1, 0,
        36.3, kTuring},
    Row{"rtx_2080", "NVIDIA GeForce RTX 2080", 75, 46, 8, 7982, kReported, 448, 10.1, 0, 40.3,
        kTuring},
    Row{"rtx_2080_super", "NVIDIA GeForce RTX 2080 SUPER", 75, 48, 8, 7982, kReported, 496, 11.2, 0,
        44.6, kTuring},
    Row{"rtx_2080_ti", "NVIDIA GeForce RTX 2080 Ti", 75, 68, 11, 11018, kReported, 616, 13.4, 0,
        53.8, kTuring},
    Row{"titan_rtx", "NVIDIA TITAN RTX", 75, 72, 24, 24219, kReported, 672, 16.3, 0, 130.5,
        kTuring},
    Row{"t4", "NVIDIA T4", 75, 40, 16, 15095, kSeenInProperties, 320, 8.1, 0, 65, kT4, kCommon},
    Row{"quadro_rtx_4000", "NVIDIA Quadro RTX 4000", 75, 36, 8, 7974, kReported, 416, 7.1, 0, 57,
        kTuring},
    Row{"quadro_rtx_5000", "NVIDIA Quadro RTX 5000", 75, 48, 16, 16125, kReported, 448, 11.2, 0,
        89.2, kTuring},
    Row{"rtx_6000", "NVIDIA Quadro RTX 6000 24GB", 75, 72, 24, 24198, kSeenInOom, 672, 16.3, 0,
        130.5, kTuring, kCommon},
    Row{"quadro_rtx_8000", "NVIDIA Quadro RTX 8000", 75, 72, 48, 48601, kReported, 672, 16.3, 0,
        130.5, kTuring},
    Row{"rtx_3050", "NVIDIA GeForce RTX 3050 8GB", 86, 20, 8, 7864, kNominal, 224, 9.1, 9.1, 18.2,
        kGa10x},
    Row{"rtx_3060", "NVIDIA GeForce RTX 3060 12GB", 86, 28, 12, 11931, kSeenInProperties, 360, 12.7,
        12.7, 25.5, kGa10x, kCommon},
    Row{"rtx_3060_ti", "NVIDIA GeForce RTX 3060 Ti", 86, 38, 8, 7977, kReported, 448, 16.2, 16.2,
        32.4, kGa10x},
    Row{"rtx_3070", "NVIDIA GeForce RTX 3070", 86, 46, 8, 7977, kReported, 448, 20.3, 20.3, 40.6,
        kGa10x},
    Row{"rtx_3070_ti", "NVIDIA GeForce RTX 3070 Ti", 86, 48, 8, 7977, kReported, 608, 21.7, 21.7,
        43.5, kGa10x},
    Row{"rtx_3080", "NVIDIA GeForce RTX 3080 10GB", 86, 68, 10, 10009, kReported, 760, 29.8, 29.8,
        59.5, kGa10x},
    Row{"rtx_3080_12gb", "NVIDIA GeForce RTX 3080 12GB", 86, 70, 12, 11796, kNominal, 912, 30.6,
        30.6, 61.3, kGa10x},
    Row{"rtx_3080_ti", "NVIDIA GeForce RTX 3080 Ti", 86, 80, 12, 12044, kReported, 912, 34.1, 34.1,
        68.2, kGa10x},
    Row{"rtx_3090", "NVIDIA GeForce RTX 3090", 86, 82, 24, 24234, kSeenInProperties, 936, 35.6,
        35.6, 71, kGa10x, kCommon},
    Row{"rtx_3090_ti", "NVIDIA GeForce RTX 3090 Ti", 86, 84, 24, 24142, kReported, 1008, 40, 40, 80,
        kGa10x},
    Row{"a2", "NVIDIA A2", 86, 10, 16, 15729, kNominal, 200, 4.5, 9, 18, kDatasheet},
    Row{"a10", "NVIDIA A10", 86, 72, 24, 22515, kSeenInOom, 600, 31.2, 62.5, 125, kDatasheet,
        kCommon},
    Row{"a10g", "NVIDIA A10G", 86, 80, 24, 22587, kReported, 600, 31.5, 35, 70, kDatasheet},
    Row{"a16", "NVIDIA A16 (one of its four GPUs)", 86, 10, 16, 15729, kNominal, 200, 4.5, 9, 18,
        kDatasheet},
    Row{"a30", "NVIDIA A30", 80, 56, 24, 24094, kReported, 933, 10.3, 82, 165, kDatasheet},
    Row{"a40", "NVIDIA A40", 86, 84, 48, 45416, kReported, 696, 37.4, 74.8, 149.7, kDatasheet},
    Row{"rtx_a2000", "NVIDIA RTX A2000 12GB", 86, 26, 12, 11796, kNominal, 288, 8, 16, 32,
        kDatasheet},
    Row{"rtx_a4000", "NVIDIA RTX A4000", 86, 48, 16, 15984, kReported, 448, 19.2, 38.3, 76.7,
        kDatasheet},
    Row{"rtx_a4500", "NVIDIA RTX A4500", 86, 56, 20, 20180, kReported, 640, 23.7, 47.3, 94.6,
        kDatasheet},
    Row{"rtx_a5000", "NVIDIA RTX A5000", 86, 64, 24, 24114, kReported, 768, 27.8, 55.6, 111.1,
        kDatasheet},
    Row{"rtx_a5500", "NVIDIA RTX A5500", 86, 80, 24, 23593, kNominal, 768, 34.1, 68.2, 136.4,
        kDatasheet},
    Row{"rtx_a6000", "NVIDIA RTX A6000", 86, 84, 48, 48676, kReported, 768, 38.7, 77.4, 154.8,
        kDatasheet},
    Row{"a100_40gb", "NVIDIA A100 40GB", 80, 108, 40, 40339, kSeenInDeviceQuery, 1555, 19.5, 156,
        312, kDatasheet, kCommon},
    Row{"a100_80gb", "NVIDIA A100 80GB", 80, 108, 80, 81038, kSeenInOom, 2039, 19.5, 156, 312,
        kDatasheet, kCommon},
    Row{"a800_80gb", "NVIDIA A800 80GB", 80, 108, 80, 81038, kLikeA100, 2039, 19.5, 156, 312,
        kDatasheet},
    Row{"rtx_4060", "NVIDIA GeForce RTX 4060", 89, 24, 8, 7864, kNominal, 272, 15.1, 15.1, 30.2,
        kAda},
    Row{"rtx_4060_ti", "NVIDIA GeForce RTX 4060 Ti 8GB", 89, 34, 8, 7864, kNominal, 288, 22.1, 22.1,
        44.1, kAda},
    Row{"rtx_4060_ti_16gb", "NVIDIA GeForce RTX 4060 Ti 16GB", 89, 34, 16, 15729, kNominal, 288,
        22.1, 22.1, 44.1, kAda},
    Row{"rtx_4070", "NVIDIA GeForce RTX 4070", 89, 46, 12, 12002, kLike4070Ti, 504, 29.1, 29.1,
        58.3, kAda},
    Row{"rtx_4070_super", "NVIDIA GeForce RTX 4070 SUPER", 89, 56, 12, 12002, kLike4070Ti, 504,
        35.5, 35.5, 70.9, kAda},
    Row{"rtx_4070_ti", "NVIDIA GeForce RTX 4070 Ti", 89, 60, 12, 12002, kSeenInOom, 504, 40.1, 40.1,
        80.2, kAda, kCommon},
    Row{"rtx_4070_ti_super", "NVIDIA GeForce RTX 4070 Ti SUPER", 89, 66, 16, 15934, kReported, 672,
        44.1, 44.1, 88.2, kAda},
    Row{"rtx_4080", "NVIDIA GeForce RTX 4080", 89, 76, 16, 16049, kSeenInProperties, 716.8, 48.7,
        48.7, 97.5, kAda, kCommon},
    Row{"rtx_4080_super", "NVIDIA GeForce RTX 4080 SUPER", 89, 80, 16, 15934, kLike4070TiSuper, 736,
        52.2, 52.2, 104.4, kAda},
    Row{"rtx_4090", "NVIDIA RTX 4090", 89, 128, 24, 24084, kSeenInOom, 1008, 82.6, 82.6, 165.2,
        kAda, kCommon},
    Row{"rtx_4090_d", "NVIDIA GeForce RTX 4090 D", 89, 114, 24, 24084, kLike4090, 1008, 73.5, 73.5,
        147, kAda},
    Row{"rtx_2000_ada", "NVIDIA RTX 2000 Ada Generation", 89, 22, 16, 15729, kNominal, 224, 12, 24,
        48, kSparse},
    Row{"rtx_4000_ada", "NVIDIA RTX 4000 Ada Generation", 89, 48, 20, 19661, kNominal, 360, 26.7,
        41, 81.9, kSparse},
    Row{"rtx_4500_ada", "NVIDIA RTX 4500 Ada Generation", 89, 60, 24, 23593, kNominal, 432, 39.6,
        79, 158.5, kSparse},
    Row{"rtx_5000_ada", "NVIDIA RTX 5000 Ada Generation", 89, 100, 32, 31457, kNominal, 576, 65.3,
        130.5, 261.1, kSparse},
    Row{"rtx_6000_ada", "NVIDIA RTX 6000 Ada Generation", 89, 142, 48, 45496, kEccOn, 960, 91.1,
        182.1, 364.2, kSparse, kCommon},
    Row{"l4", "NVIDIA L4", 89, 58, 24, 22491, kSeenInDeviceQuery, 300, 30.3, 60, 121, kSparse,
        kCommon},
    Row{"l20", "NVIDIA L20", 89, 92, 48, 47186, kNominal, 864, 59.8, 59.8, 119.5, kSparse},
    Row{"l40", "NVIDIA L40", 89, 142, 48, 45466, kLikeL40s, 864, 90.5, 90.5, 181, kSparse},
    Row{"l40s", "NVIDIA L40S", 89, 142, 48, 45466, kSeenInOom, 864, 91.6, 183, 362, kSparse,
        kCommon},
    Row{"h20", "NVIDIA H20", 90, 78, 96, 97285, kReported, 4000, 44, 74, 148, kSparse},
    Row{"h100_pcie", "NVIDIA H100 PCIe", 90, 114, 80, 81008, kLikeH100, 2000, 51, 378, 756,
        kSparse},
    Row{"h100_80gb", "NVIDIA H100 80GB", 90, 132, 80, 81008, kSeenInOom, 3350, 67, 494.7, 989.4,
        kSparse, kCommon},
    Row{"h800", "NVIDIA H800", 90, 132, 80, 81008, kLikeH100, 3350, 67, 494.7, 989.4, kSparse},
    Row{"h100_94gb", "NVIDIA H100 NVL 94GB", 90, 132, 94, 95232, kSeenInOom, 3900, 60, 417.5, 835.5,
        kSparse, kCommon},
    Row{"gh200", "NVIDIA GH200 480GB", 90, 132, 96, 96768, kReported, 4000, 67, 494.7, 989.4,
        kSparse},
    Row{"h200", "NVIDIA H200", 90, 132, 141, 143156, kSeenInProperties, 4800, 67, 494.7, 989.4,
        kSparse, kCommon},
    Row{"rtx_5050", "NVIDIA GeForce RTX 5050", 120, 20, 8, 7864, kNominal, 320, 13.2, 13.2, 26.3,
        kBlackwell},
    Row{"rtx_5060", "NVIDIA GeForce RTX 5060", 120, 30, 8, 7864, kNominal, 448, 19.2, 19.2, 38.4,
        kBlackwell},
    Row{"rtx_5060_ti", "NVIDIA GeForce RTX 5060 Ti 8GB", 120, 36, 8, 7864, kNominal, 448, 23.7,
        23.7, 47.4, kBlackwell},
    Row{"rtx_5060_ti_16gb", "NVIDIA GeForce RTX 5060 Ti 16GB", 120, 36, 16, 15841, kReported, 448,
        23.7, 23.7, 47.4, kBlackwell},
    Row{"rtx_5070", "NVIDIA GeForce RTX 5070", 120, 48, 12, 11796, kNominal, 672, 30.9, 30.9, 61.7,
        kBlackwell},
    Row{"rtx_5070_ti", "NVIDIA GeForce RTX 5070 Ti", 120, 70, 16, 15842, kReported, 896, 43.9, 43.9,
        87.9, kBlackwell},
    Row{"rtx_5080", "NVIDIA GeForce RTX 5080", 120, 84, 16, 15842, kLike5070Ti, 960, 56.3, 56.3,
        112.6, kBlackwell},
    Row{"rtx_5090", "NVIDIA RTX 5090", 120, 170, 32, 32109, kSeenInOom, 1792, 104.8, 104.8, 209.5,
        kBlackwell, kCommon},
    Row{"rtx_pro_4000", "NVIDIA RTX PRO 4000 Blackwell", 120, 70, 24, 23593, kNominal, 672, 46.9,
        73, 147, kProBlackwell},
    Row{"rtx_pro_4500", "NVIDIA RTX PRO 4500 Blackwell", 120, 82, 32, 31457, kNominal, 896, 54.9,
        105, 211, kProBlackwell},
    Row{"rtx_pro_5000", "NVIDIA RTX PRO 5000 Blackwell", 120, 110, 48, 47186, kNominal, 1344, 73.7,
        129, 258, kProBlackwell},
    Row{"rtx_pro_6000", "NVIDIA RTX PRO 6000 Blackwell", 120, 188, 96, 97249, kReported, 1792, 125,
        252, 504, kProBlackwell},
    Row{"gb10", "NVIDIA GB10 (DGX Spark, shared with the host)", 121, 48, 128, 124610, kReported,
        273, 31, 62, 125, kProBlackwell},
    Row{"b200", "NVIDIA B200", 100, 148, 192, 182631, kSeenInProperties, 7700, 75, 1100, 2250,
        kB200, kCommon},
    Row{"gb200", "NVIDIA GB200 (one of its GPUs)", 100, 152, 192, 188744, kNominal, 8000, 80, 1250,
        2500, kSparse},
    Row{"b300", "NVIDIA B300", 103, 148, 288, 283116, kNominal, 7700, 75, 1100, 2250, kSparse},
    Row{"gb300", "NVIDIA GB300 (one of its GPUs)", 103, 148, 288, 283116, kNominal, 8000, 80, 1250,
        2500, kSparse},
    Row{"mi210", "AMD Instinct MI210", 910, 104, 64, 65520, kReported, 1638, 22.6, 0, 181,
        kInstinct},
    Row{"mi250x", "AMD Instinct MI250X (one of its two dies)", 910, 110, 64, 65520, kReported, 1638,
        23.9, 0, 191.5, kInstinct},
    Row{"mi300a", "AMD Instinct MI300A (shared with the host)", 942, 228, 128, 125829, kNominal,
        5300, 122.6, 490.3, 980.6, kInstinct},
    Row{"mi300x", "AMD Instinct MI300X", 942, 304, 192, 196290, kReported, 5300, 163.4, 653.7,
        1307.4, kInstinct},
    Row{"mi325x", "AMD Instinct MI325X", 942, 304, 256, 251658, kNominal, 6000, 163.4, 653.7,
        1307.4, kInstinct},
    Row{"mi350x", "AMD Instinct MI350X", 950, 256, 288, 283116, kNominal, 8000, 144.2, 0, 2306.9,
        kInstinct},
    Row{"mi355x", "AMD Instinct MI355X", 950, 256, 288, 283116, kNominal, 8000, 157.3, 0, 2516.6,
        kInstinct},
};

// What a training process takes besides PyTorch's reservation: the context, and the kernels and
// handles that it has loaded. Larger chips take more. Older ones' are rounded reports of contexts
// with lazy module loading (CUDA 11.7 and later), not measurements of ours.
Figure context_of(int capability) {
    constexpr double gib = 1024.0 * 1024 * 1024;
    constexpr auto source = "estimate per architecture, CUDA 11.7 or later; not measured";
    if (capability >= 900) return {0.75 * gib, "assumed to equal Hopper's; not measured"};
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
        return GuideSettings{
            24, 512, 768, 2, 6, 12, "price/performance on a desk", "The default.", "3-4x", 45};
    if (id == "rtx_5090")
        return GuideSettings{32,
                             1024,
                             1536,
                             2,
                             12,
                             16,
                             "larger batches on a desk",
                             "The guide's text says 2-3 workers, its table 2.",
                             "6-8x",
                             30};
    if (id == "a100_40gb")
        return GuideSettings{40, 1024, 2048, 2, 12, 20, "cloud machines", "", "8x", 25};
    if (id == "a100_80gb")
        return GuideSettings{80, 2048, 4096, 3, 16, 26, "production and large runs", "", "16x", 15};
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

std::string_view architecture_of(int capability) {
    if (capability >= 950) return "CDNA 4";
    if (capability >= 940) return "CDNA 3";
    if (capability >= 900) return "CDNA 2";
    if (capability >= 100) return "Blackwell";
    if (capability >= 90) return "Hopper";
    if (capability == 89) return "Ada";
    if (capability >= 80) return "Ampere";
    if (capability >= 75) return "Turing";
    if (capability >= 70) return "Volta";
    return capability >= 60 ? "Pascal" : "Kepler";
}

GpuProfile expand(const Row& row) {
    const auto rate = [&](double tflops) {
        return Figure{tflops * 1e12, tflops > 0 ? row.rate_source : "not offered by this GPU"};
    };
    return {.id = row.id,
            .name = row.name,
            .architecture = std::string(architecture_of(row.capability)),
            .compute_capability = row.capability,
            .sold_gb = row.sold_gb,
            .multiprocessors = {static_cast<double>(row.multiprocessors), row.rate_source},
            .memory_bytes = {row.memory_mib * 1024 * 1024, row.memory_source},
            .context_bytes = context_of(row.capability),
            .bandwidth = {row.bandwidth_gb_s * 1e9, row.rate_source},
            .fp32_flops = rate(row.fp32),
            .tf32_flops = rate(row.tf32),
            .fp16_flops = rate(row.fp16),
            .bf16_flops = rate(row.capability >= 80 ? row.fp16 : 0),
            .common = row.comparison == Comparison::common,
            .guide = guide_of(row.id)};
}

}  // namespace

std::span<const GpuProfile> shipped_gpus() {
    static const auto profiles = [] {
        std::vector<GpuProfile> all;
        for (const auto& row : kRows) all.push_back(expand(row));
        std::ranges::sort(all, {}, [](const GpuProfile& p) {
            return std::tuple(p.sold_gb, !p.common, p.memory_bytes.value, std::string_view(p.id));
        });
        return all;
    }();
    return profiles;
}

}  // namespace plimsoll::training
