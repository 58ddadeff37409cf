#include "engine/training/guides/utilisation.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::training::utilisation {

BatchRule batch_for(std::int64_t total_bytes) {
    const double gb = static_cast<double>(total_bytes) / 1e9;
    if (gb >= 40) return {64, 1};
    if (gb >= 24) return {48, 1};
    if (gb >= 16) return {32, 1};
    return {16, 2};
}

ColabPreset colab_preset(std::int64_t total_bytes) {
    const double gb = static_cast<double>(total_bytes) / 1e9;
    if (gb >= 15) return {"T4, V100", 32, 1, 8, 4, 4e-5};
    return {"K80", 16, 2, 4, 2, 3e-5};
}

std::span<const TweetBatch> tweet_batches() {
    static constexpr std::array rows{
        TweetBatch{"K80", "k80", 12, 24, false, 16},
        TweetBatch{"T4", "t4", 16, 48, false, 32},
        TweetBatch{"V100", "v100_16gb", 16, 48, false, 32},
        TweetBatch{"RTX 3090", "rtx_3090", 24, 80, false, 48},
        TweetBatch{"A100 (40GB)", "a100_40gb", 40, 128, true, 64},
        TweetBatch{"A100 (80GB)", "a100_80gb", 80, 256, true, 128},
    };
    return rows;
}

std::span<const Throughput> throughput_table() {
    static constexpr std::array rows{
        Throughput{"Conservative", 8, 30, 40, 100, 100},
        Throughput{"Balanced", 16, 50, 60, 60, 166},
        Throughput{"Optimized", 32, 70, 85, 35, 285},
        Throughput{"Max Performance (A100)", 64, 85, 95, 20, 500},
    };
    return rows;
}

std::span<const QuickWin> quick_wins() {
    static constexpr std::array rows{
        QuickWin{"double the batch size", "2x", Subject::batch},
        QuickWin{"8 loader workers", "30-50 %", Subject::workers},
        QuickWin{"prefetch factor 4", "20-30 %"},
        QuickWin{"persistent workers", "10-15 %"},
        QuickWin{"less gradient accumulation", "more stable gradients", Subject::accumulation},
    };
    return rows;
}

int loader_workers(int cores, bool heavy_preprocessing) {
    return std::max(0, heavy_preprocessing ? std::min(16, cores - 1) : std::min(8, cores - 2));
}

std::vector<Finding> diagnose(const Observed& o) {
    constexpr double low = 50;
    const bool gpu = o.gpu_percent && *o.gpu_percent < low;
    const bool cpu = o.cpu_percent && *o.cpu_percent < low;
    std::vector<Finding> out;
    if (gpu && cpu) {
        constexpr std::string_view symptom = "GPU and CPU utilization are both low";
        out.push_back({symptom, "waiting for storage", "move the data to a faster disk (SSD)"});
        out.push_back(
            {symptom, "batch much too small", "multiply the batch by 4 to 8", Subject::batch});
        out.push_back({symptom, "too much logging or checkpointing", "log and save less often"});
    }
    if (gpu) {
        constexpr std::string_view symptom = "GPU utilization below 50 %";
        out.push_back({symptom, "batch too small", "raise the batch size", Subject::batch});
        out.push_back({symptom, "data loading is the bottleneck", "use more loader workers",
                       Subject::workers});
        out.push_back({symptom, "no prefetching", "set prefetch_factor=4"});
        out.push_back({symptom, "model too small for the GPU", "consider a larger variant"});
    }
    if (cpu) {
        constexpr std::string_view symptom = "CPU utilization below 50 %";
        out.push_back(
            {symptom, "too few loader workers", "use more loader workers", Subject::workers});
        out.push_back({symptom, "slow preprocessing", "tokenize in parallel, in advance"});
        out.push_back({symptom, "workers restart every epoch", "set persistent_workers=True"});
    }
    return out;
}

std::span<const Recipe> recipes() {
    static constexpr std::array rows{
        Recipe{"spare memory", 64, 1, false},
        Recipe{"spare memory, checkpointing", 128, 1, true},
        Recipe{"out of memory", 16, 4, false},
        Recipe{"out of memory, checkpointing", 32, 2, true},
    };
    return rows;
}

std::span<const std::string_view> remarks() {
    static constexpr std::array<std::string_view, 4> rows{
        "A T4 reports about 15.8e9 bytes: the rule \">= 16\" gives it the K80 row, but the Colab "
        "block (\">= 15\") does not.",
        "The section headed \"Linear Scaling Rule\" computes the square-root rule.",
        "\"3-5x faster\" from batch 8 to 32 contradicts the guide's own table (2.85x).",
        "The batch table is far from the memory limit: saved activations of roberta-base at 128 "
        "tokens in fp32 are 3.7 GB at batch 48.",
    };
    return rows;
}

}  // namespace plimsoll::training::utilisation
