#pragma once

#include "engine/training/tape/settings.hpp"

#include <algorithm>
#include <cstdint>

namespace plimsoll::training {

inline constexpr std::int64_t kReduceBucket =
    500'000'000;  // elements: DeepSpeed's default of reduce_bucket_size

// The part of a run's state that one card keeps, and the width of its elements. The shares are
// those of Rajbhandari et al. 2020; FSDP's buffers were measured (tests/pytorch/fsdp_buffers.py),
// DDP's too (ddp_buffers.py), and DeepSpeed's (zero_steps.py).
struct Layout {
    Sharding sharding = Sharding::none;
    int cards = 1;         // among which one copy is divided
    int expert_cards = 1;  // likewise, a card's experts
    int replicas = 1;      // of what is divided, whose gradients are summed
    // 16-bit weights and gradients, with fp32 masters beside the optimizer's state (DeepSpeed), or
    // fp32 shards that are gathered in 16 bits (FSDP's MixedPrecisionPolicy, as Accelerate sets
    // it).
    bool mixed = false;
    bool shards_weights = false;
    bool shards_gradients = false;
    bool shards_optimizer = false;
    bool offloads_optimizer = false;
    bool offloads_weights = false;
    int weight_bytes = 4;   // of one element, as kept on the card
    int compute_bytes = 4;  // as used, and of its gradient
    int sum_bytes = 4;      // of a gradient as FSDP sends it
    int master_bytes = 4;   // of what the optimizer updates, and of its state
    // fp32 adapters on 16-bit weights. DeepSpeed converts the whole model, and FSDP takes one type
    // of trained weights, so there they are as wide as the weights.
    bool wide_adapters = false;
    bool wide_copies = false;     // likewise, of what adapters leave to be trained whole
    bool narrow_trained = false;  // what is trained has 16 bits beside others in fp32
    std::int64_t bucket = 0;      // elements; 0: as in the settings to paste

    // Bytes of an element: the usual ones, unless it has a type of its own. TRL leaves DoRA's
    // magnitudes as they are.
    int width_of(const Parameter& p, int usual) const {
        if ((p.adapter && wide_adapters) || (p.copied && wide_copies)) return 4;
        return narrow_trained && p.trainable && (p.matrix || !p.adapter) ? 2 : usual;
    }
    bool is_zero() const {
        return sharding == Sharding::zero1 || sharding == Sharding::zero2 ||
               sharding == Sharding::zero3;
    }
    // One card's part of this many elements; the last part is padded. FSDP cuts between `blocks`.
    std::int64_t shard(std::int64_t elements, bool of_experts = false, int blocks = 0) const {
        const int among = of_experts ? expert_cards : cards;
        if (blocks > 0 && is_fsdp(sharding))
            return (blocks + among - 1) / among * (elements / blocks);
        return (elements + among - 1) / among;
    }
    std::int64_t padded(std::int64_t elements, bool of_experts, int blocks = 0) const {
        return shard(elements, of_experts, blocks) * (of_experts ? expert_cards : cards);
    }
    // Of a gathered tensor; FSDP's has the padding of all shards.
    std::int64_t whole(std::int64_t elements, int blocks) const {
        return blocks > 0 && is_fsdp(sharding) ? padded(elements, false, blocks) : elements;
    }
    // DeepSpeed allocates it whole, however little is trained.
    std::int64_t bucket_elements(std::int64_t trainable) const {
        return bucket > 0 ? bucket : std::min(kReduceBucket, trainable);
    }
    std::int64_t kept_weights(std::int64_t elements, bool of_experts = false,
                              int blocks = 0) const {
        if (offloads_weights) return 0;
        return shards_weights ? shard(elements, of_experts, blocks) : elements;
    }
};

Layout layout_of(const TrainingSettings& settings);

// The settings of the forward and backward passes: DeepSpeed trains in 16 bits without autocast,
// TRL's trainers of preferences put both answers into one batch and switch dropout off, and a card
// may have a part of every text.
TrainingSettings recorded_settings(TrainingSettings settings);

// DeepSpeed's defaults, in elements: stage3_max_live_parameters, stage3_prefetch_bucket_size,
// sub_group_size.
inline constexpr std::int64_t kMaxLive = 1'000'000'000;
inline constexpr std::int64_t kPrefetched = 50'000'000;
inline constexpr std::int64_t kMaxUpdated = 1'000'000'000;
// DistributedDataParallel's bucket_cap_mb, and the smaller first one, which starts early.
inline constexpr std::int64_t kDdpBucketBytes = 25LL << 20;
inline constexpr std::int64_t kDdpBroadcastBytes = 250LL << 20;
inline constexpr std::int64_t kFirstDdpBucketBytes = 1LL << 20;

}  // namespace plimsoll::training
