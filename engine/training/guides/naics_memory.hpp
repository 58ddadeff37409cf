#pragma once

#include "engine/base/result.hpp"
#include "engine/base/words.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

// The arithmetic of the NAICS memory guide (scripts/optimize_gpu_config.py of
// lowmason/naics-embedder), reproduced exactly so that its users get the same numbers. It charges
// optimizer and gradients for frozen weights and counts attention once, not per layer; the physical
// model in engine/training/estimate does not. Sizes are in MiB and GiB as in the guide.

namespace plimsoll::training::naics {

// The four-channel LoRA encoder with a mixture of experts that the guide was written for.
struct Model {
    std::int64_t parameters_per_channel = 22'700'000;
    int channels = 4;
    int hidden = 384;
    int max_length = 512;
    int layers = 6;
    int lora_rank = 8;
    int experts = 4;
    int top_k = 2;
    int expert_hidden = 1024;
    bool half_precision = true;
    bool checkpointing = true;
};

std::int64_t parameters(const Model& model);

// MiB each; the sum is total_mib().
struct Breakdown {
    double model = 0;
    double optimizer = 0;
    double gradients = 0;
    double activations = 0;
    double batch_data = 0;
    double overhead = 1500;

    double total_mib() const {
        return model + optimizer + gradients + activations + batch_data + overhead;
    }
    double total_gib() const { return total_mib() / 1024; }
};

// A batch of B anchors carries B * (2 + negatives) texts; the guide never uses the positives.
Breakdown memory(const Model& model, int batch, int negatives);

struct Search {
    double gpu_gib = 24;
    double safety = 0.85;
    int target_effective_batch = 256;
    int highest_batch = 128;
};

struct Suggestion {
    std::string_view stage;
    int batch = 0;
    int positives = 0;
    int negatives = 0;
    int accumulation = 0;
    int effective_batch = 0;
    double utilisation_percent = 0;  // of the whole card, not of the safe part
    Breakdown breakdown;
};

// The largest batch that stays within gpu_gib * safety, at least 1 even if that does not fit (the
// guide's behaviour); accumulation is the target divided by it, rounded down.
Suggestion suggest(const Model& model, const Search& search, int positives, int negatives,
                   std::string_view stage);

// The guide's curriculum.
struct Stage {
    std::string_view name;
    int positives = 0;
    int negatives = 0;
};
inline constexpr std::array kCurriculum = {Stage{"01_stage (Early)", 32, 24},
                                           Stage{"02-05_stage (Later)", 16, 8}};

// The settings for every stage of the curriculum. Errors name the field and the rule.
Result<std::vector<Suggestion>> suggest_stages(const Model& model, const Search& search);

// The guide's verdict on a utilization, as in its show_current_config.
enum class Load { risky, good, reasonable, underused };
Load judge_utilisation(double percent);
inline constexpr Word<Load> kLoads[] = {{"risky", Load::risky},
                                        {"good", Load::good},
                                        {"reasonable", Load::reasonable},
                                        {"underused", Load::underused}};
constexpr std::span<const Word<Load>> words_of(Load) { return kLoads; }
using plimsoll::to_string;

// After an out-of-memory error: a quarter less batch, accumulation raised in proportion. The guide
// goes from 45 x 5 to 34 x 7 (75 % rounded to nearest, accumulation up to cover the old product).
struct BackOff {
    int batch = 0;
    int accumulation = 0;
};
Result<BackOff> back_off(int batch, int accumulation);

}  // namespace plimsoll::training::naics
