#include "engine/training/estimate/colocated_vllm.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::training {
namespace {

constexpr std::int64_t kHalf = 2;

// vLLM loads the checkpoint itself, without adapters, and converts fp32 to 16 bits.
std::int64_t weight_bytes(const ModelShape& shape, const TrainingSettings& settings) {
    // bitsandbytes packs two weights a byte, with an fp32 scale for each 64.
    constexpr std::int64_t block = 64, block_bytes = 36;
    std::int64_t bytes = 0;
    for (const auto& p : list_parameters(shape, Lora{})) {
        const bool packed = p.linear && settings.quantization != Quantization::none;
        bytes += packed ? p.elements / block * block_bytes : kHalf * p.elements;
    }
    return bytes / settings.vllm.cards;
}

// A layer with a window keeps no more than it, one of linear attention nothing for a token.
std::int64_t cache_bytes(const ModelShape& shape, const TrainingSettings& settings) {
    const auto& vllm = settings.vllm;
    const std::int64_t tokens = vllm.longest > 0 ? vllm.longest : settings.sequence;
    std::int64_t bytes = 0;
    for (int layer = 0; layer < shape.layers - shape.sharing_layers; ++layer) {
        if (shape.has_linear(layer)) continue;
        const auto own = shape.of_layer(layer);
        const auto kept =
            shape.has_window(layer) ? std::min<std::int64_t>(tokens, shape.window) : tokens;
        // The latent of all heads is whole on every GPU.
        const auto width = shape.traits().latent
                               ? own.kv_rank + own.rotary_width()
                               : 2 * own.head_dim * std::max(1, own.kv_heads / vllm.cards);
        bytes += kHalf * kept * width;
    }
    return std::max<std::int64_t>(1, bytes);
}

}  // namespace

ColocatedVllm ColocatedVllm::on(const GpuProfile& gpu, std::int64_t its_limit,
                                const TrainingSettings& settings) const {
    auto out = *this;
    out.share = static_cast<std::int64_t>(
        std::ceil(static_cast<double>(gpu.total_bytes()) * settings.vllm.share));
    out.limit = its_limit;
    return out;
}

std::optional<ColocatedVllm> colocated_vllm(const ModelShape& shape,
                                            const TrainingSettings& settings, const GpuProfile& gpu,
                                            const SearchOptions& options, FootprintByBatch& own) {
    const auto& vllm = settings.vllm;
    if (vllm.share == 0) return std::nullopt;
    ColocatedVllm out;
    out.weights = weight_bytes(shape, settings);
    out.text = cache_bytes(shape, settings);
    out.sleeps = vllm.sleeps;
    if (vllm.sleeps) out.standing = corrected(own.standing(1), options);
    return out.on(gpu, reserve_limit(gpu, options), settings);
}

}  // namespace plimsoll::training
