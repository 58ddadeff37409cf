#include "engine/training/tape/layout.hpp"

namespace plimsoll::training {

Layout layout_of(const TrainingSettings& settings) {
    Layout l;
    // One card alone shards nothing, but DeepSpeed lays out its part, which is everything, as
    // usual.
    l.sharding = settings.sharding;
    if (settings.sharers() == 1 && !l.is_zero()) l.sharding = Sharding::none;
    l.replicas = is_fsdp(l.sharding) ? settings.replicas : 1;
    l.cards = settings.sharers() / l.replicas;
    l.expert_cards = l.cards / settings.parallel.expert;
    l.bucket = settings.bucket;
    l.shards_weights = l.sharding == Sharding::zero3 || is_fsdp(l.sharding);
    l.shards_gradients = l.shards_weights || l.sharding == Sharding::zero2;
    l.shards_optimizer = l.shards_gradients || l.sharding == Sharding::zero1;
    const bool offloads = l.is_zero() || is_fsdp(l.sharding);
    l.offloads_optimizer = offloads && settings.offload != Offload::none;
    l.offloads_weights = offloads && settings.offload == Offload::parameters;
    const bool half = settings.precision != Precision::fp32;
    l.mixed = (l.is_zero() && half) || (is_fsdp(l.sharding) && settings.autocast());
    const bool pure = settings.half_weights() && !l.mixed;
    l.compute_bytes = l.mixed || pure ? 2 : 4;
    l.weight_bytes = is_fsdp(l.sharding) && l.mixed ? 4 : l.compute_bytes;
    l.sum_bytes = l.mixed && settings.wide_sums ? 4 : l.compute_bytes;
    l.master_bytes = pure ? 2 : 4;
    const bool whole = l.sharding == Sharding::none || l.sharding == Sharding::ddp;
    const auto wide = settings.lora.rank > 0 ? settings.lora.wide : Lora::Wide::none;
    l.wide_adapters = pure && whole && (wide == Lora::Wide::adapters || wide == Lora::Wide::all);
    l.narrow_trained = !pure && whole && settings.autocast() && wide == Lora::Wide::narrow;
    l.wide_copies = pure && whole && settings.widens_copies();
    return l;
}

TrainingSettings recorded_settings(TrainingSettings settings) {
    if (layout_of(settings).is_zero() && settings.autocast()) settings.precision = Precision::bf16;
    if (settings.pairs()) settings.batch *= 2;
    settings.sequence /= settings.parallel.context;
    if (settings.without_dropout()) settings.lora.dropout = 0;
    return settings;
}

}  // namespace plimsoll::training
