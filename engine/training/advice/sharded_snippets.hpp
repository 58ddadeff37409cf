#pragma once

#include "engine/training/tape/settings.hpp"

#include <string>

// How the frameworks are told to spread a run over several cards; empty for one card.
namespace plimsoll::training {

inline constexpr const char* kFindLayers =
    "layers = max((m for m in model.modules() if isinstance(m, torch.nn.ModuleList)), key=len)\n";

// The type in which FSDP shards packed weights, as a last argument of their configuration.
std::string packed_storage(const TrainingSettings& settings);
// Converts what is trained beside frozen weights of another type.
std::string type_of_trained(const TrainingSettings& settings);
// What only other programs can set.
std::string elsewhere(const TrainingSettings& settings);
// Two lines of a trainer.
std::string lightning_strategy(const TrainingSettings& settings);
// Where TRL's vLLM generates: arguments of its configuration.
std::string vllm_arguments(const TrainingSettings& settings);
// The loop of plain PyTorch, with the optimizer made by this call.
std::string deepspeed_loop(const std::string& optimizer, int cards);
// For what only plain PyTorch or torchtitan can do: a note; empty otherwise.
std::string left_to_pytorch(const TrainingSettings& settings);
// `half`: the 16-bit type as PyTorch names it.
std::string pytorch_sharding(const TrainingSettings& settings, const std::string& half);

}  // namespace plimsoll::training
