#include "engine/training/tape/record.hpp"

#include <string>

namespace plimsoll::training {
namespace {

tl::unexpected<Error> wrong(const char* field, std::string rule) {
    return fail(Errc::invalid_input, std::move(rule), field);
}

}  // namespace

Result<void> check_settings(const ModelShape& s, const TrainingSettings& t) {
    if (t.batch < 1 || t.batch > 100'000'000)
        return wrong("/batch", "The batch must lie between 1 and 100000000.");
    if (t.sequence < 1 || t.sequence > 10'000'000)
        return wrong("/sequence", "The sequence length must lie between 1 and 10000000.");
    if (s.positions > 0 && !s.is_series() && t.sequence > s.positions)
        return wrong("/sequence", "The sequence length " + std::to_string(t.sequence) +
                                      " exceeds the model's " + std::to_string(s.positions) +
                                      " positions.");
    if (t.accumulation < 1 || t.accumulation > 4096)
        return wrong("/accumulation", "The accumulation must lie between 1 and 4096.");
    if (t.negatives < 0 || t.negatives > 4096)
        return wrong("/negatives", "The negatives must lie between 0 and 4096.");
    if (t.lora.rank < 0 || t.lora.rank > 4096)
        return wrong("/lora/rank", "The rank of the adapters must lie between 0 and 4096.");
    if (t.lora.rank > 0 && s.is_series())
        return wrong("/lora", "Adapters are known for text models only.");
    if (!(t.lora.dropout >= 0 && t.lora.dropout < 1))
        return wrong("/lora/dropout", "A dropout must be at least 0 and below 1.");
    if (t.frozen_layers < 0 || t.frozen_layers > s.layers)
        return wrong("/frozen_layers", "At most all " + std::to_string(s.layers) +
                                           " layers of the model can be frozen.");
    if (t.lora.rank > 0 && (t.frozen_layers > 0 || t.frozen_embeddings))
        return wrong("/frozen_layers", "Adapters freeze the whole model already.");
    if (s.is_series() && (t.frozen_layers > 0 || t.frozen_embeddings))
        return wrong("/frozen_layers", "Freezing parts is known for text models only.");
    if (t.cards < 1 || t.cards > 100'000)
        return wrong("/cards", "The cards must lie between 1 and 100000.");
    if (t.checkpointing && s.is_series())
        return wrong("/checkpointing", "Gradient checkpointing is known for text models only.");
    return {};
}

}  // namespace plimsoll::training
