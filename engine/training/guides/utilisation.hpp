#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

// The rules and tables of the training utilization guide, verbatim. `remark` fields say where the
// guide contradicts itself or the physics.

namespace plimsoll::training::utilisation {

struct BatchRule {
    int batch = 0;
    int accumulation = 0;
};
// Thresholds 40, 24 and 16 GB of 10^9 bytes. A T4 reports about 15.8e9 bytes and so gets the
// smallest batch, against the guide's own table.
BatchRule batch_for(std::int64_t total_bytes);

struct ColabPreset {
    std::string_view cards;
    int batch = 0;
    int accumulation = 0;
    int loader_workers = 0;
    int prefetch = 0;
    double learning_rate = 0;
};
// The guide's Colab block: 15 GB of 10^9 bytes and up is a T4 or V100, below a K80.
ColabPreset colab_preset(std::int64_t total_bytes);

// Tweet classification with 128 tokens.
struct TweetBatch {
    std::string_view gpu;
    std::string_view profile_id;
    int memory_gb = 0;
    int max_batch = 0;
    bool or_more = false;  // the guide writes "128+"
    int recommended = 0;
};
std::span<const TweetBatch> tweet_batches();

struct Throughput {
    std::string_view name;
    int batch = 0;
    int gpu_percent_low = 0;
    int gpu_percent_high = 0;
    int minutes = 0;
    int samples_per_second = 0;
};
std::span<const Throughput> throughput_table();

// The setting that the advice changes, if the current settings tell whether the advice is new.
enum class Subject { other, batch, workers, accumulation };

struct QuickWin {
    std::string_view change;
    std::string_view claimed_gain;
    Subject subject = Subject::other;
};
std::span<const QuickWin> quick_wins();

struct Targets {
    int gpu_low = 75, gpu_high = 95;
    int memory_low = 80, memory_high = 95;
    int cpu_low = 50, cpu_high = 80;
};

// min(8, cores - 2), with heavy preprocessing min(16, cores - 1); never below 0 (in-process).
int loader_workers(int cores, bool heavy_preprocessing);
inline constexpr int kPrefetch = 4;

// The rules of the troubleshooting section. Percentages are 0 to 100; absent means not observed.
struct Observed {
    std::optional<double> gpu_percent = {};
    std::optional<double> cpu_percent = {};
};
struct Finding {
    std::string_view symptom;
    std::string_view cause;
    std::string_view change;
    Subject subject = Subject::other;
};
std::vector<Finding> diagnose(const Observed& observed);

// The guide's memory-against-speed recipes around a base of 32 x 1.
struct Recipe {
    std::string_view situation;
    int batch = 0;
    int accumulation = 0;
    bool checkpointing = false;
};
std::span<const Recipe> recipes();

std::span<const std::string_view> remarks();

}  // namespace plimsoll::training::utilisation
