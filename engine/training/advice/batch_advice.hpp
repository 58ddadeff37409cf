#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::training {

struct Accumulation {
    std::int64_t batch = 0;  // per card
    std::int64_t steps = 1;
    std::int64_t cards = 1;  // that train together, each on its own samples
    std::int64_t effective() const { return batch * steps * cards; }
};

// Ways to reach a target effective batch with at most max_batch samples per step on a card.
struct AccumulationAdvice {
    Accumulation floor;    // never above the target (the NAICS memory guide's choice)
    Accumulation nearest;  // closest to the target
    // The target itself, with the largest batch that divides it; none if the cards do not divide
    // the target.
    std::optional<Accumulation> exact;
};

// A card's share of a target, rounded; at least 1. `cards` of at least 1.
std::int64_t share_of_target(std::int64_t target, std::int64_t cards);

// Errors: the target, the batch or the number of cards is below 1.
Result<AccumulationAdvice> advise_accumulation(std::int64_t max_batch, std::int64_t target,
                                               std::int64_t cards = 1);

// Loader settings by the training utilization guide, and the host memory of the queue.
struct LoaderAdvice {
    int workers = 0;
    int prefetch = 0;  // 0 without workers
    bool pin_memory = true;
    bool persistent_workers = false;
    std::int64_t host_bytes = 0;     // workers * prefetch * bytes of a batch
    bool host_memory_tight = false;  // more than half of the given RAM
    // Processes that tokenize the dataset once before training; 0 without text.
    int tokenizer_processes = 0;
};
LoaderAdvice advise_loader(int cores, bool heavy_preprocessing, std::int64_t batch_bytes,
                           std::int64_t host_ram_bytes, bool text = true);

// The number of concurrent runs of one model that fit on a card beside what others hold; each
// takes `each` bytes, its CUDA context included.
std::int64_t parallel_runs(std::int64_t card_bytes, double safety, std::int64_t elsewhere,
                           std::int64_t each);

// The lengths of a dataset's texts: a histogram in tokens.
struct LengthBin {
    int tokens = 0;  // of the longest text
    std::int64_t samples = 0;
};

struct Lengths {
    int longest = 0;  // after truncation; sizes the batch
    int p95 = 0;      // 95th percentile
    double mean = 0;  // after truncation
    double cut_share = 0;
};

// `cut_at`: where the tokenizer truncates; 0: never. Errors name the field below the histogram.
Result<Lengths> summarise(std::vector<LengthBin> histogram, int cut_at);

}  // namespace plimsoll::training
