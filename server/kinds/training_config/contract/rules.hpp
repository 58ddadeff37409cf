#pragma once

#include "engine/base/json.hpp"
#include "engine/training/advice/guide_batch.hpp"
#include "engine/training/tape/layout.hpp"
#include "server/kinds/training_config/contract/options.hpp"

#include <algorithm>
#include <string_view>

// When an option has no effect.
namespace plimsoll::jobs::training_config::rules {

// In the rules, "it" is the option.
inline const tr::TrainingSettings& training(const Given& g) { return g.report.settings; }
inline bool gives(const Given& g, std::string_view pointer) {
    return find(g.args, pointer) != nullptr;
}
inline bool is_family(const Given& g, tr::Family family) { return g.report.shape.family == family; }
inline bool has_batch(const Given& g) { return g.report.batch > 0; }
inline bool has_no_adapters(const Given& g) { return training(g).lora.rank == 0; }
inline bool is_not_naics(const Given& g) { return !is_family(g, tr::Family::naics); }
inline bool generates_answers(const Given& g) { return training(g).method == tr::Method::grpo; }
inline bool is_ppo(const Given& g) { return training(g).method == tr::Method::ppo; }
inline bool has_no_reference(const Given& g) {
    if (is_ppo(g)) return true;
    auto compared = training(g);
    compared.reference = tr::Reference::model;
    return !compared.uses_reference();
}
inline bool has_no_whole_logits(const Given& g) {
    return has_no_reference(g) || generates_answers(g);
}
inline bool is_lstm(const Given& g) { return is_family(g, tr::Family::lstm); }
inline bool is_sgd(const Given& g) {
    return training(g).optimizer == tr::Optimizer::sgd ||
           training(g).optimizer == tr::Optimizer::sgd_momentum;
}
inline bool has_no_dataset(const Given& g) { return g.report.workload.dataset_size == 0; }
inline bool shards(const Given& g) {
    const auto sharding = tr::layout_of(training(g)).sharding;
    return sharding != tr::Sharding::none && sharding != tr::Sharding::ddp;
}
// The NAICS guide divides a target by its batch; the others name the accumulation, too.
inline bool follows_guide(const Given& g) {
    return g.report.goal == tr::Goal::guide && is_not_naics(g) &&
           std::ranges::all_of(g.report.gpus, [&](const auto& gpu) {
               return tr::guide_batch(g.report, gpu).has_value();
           });
}

inline constexpr Rule kNoAdapters = {has_no_adapters,
                                     "Without adapters (rank 0) there is nothing to set."};
inline constexpr Rule kNoReference = {has_no_reference,
                                      "Only dpo, kto and grpo have one to choose."};
inline constexpr Rule kWithoutVllm = {
    [](const Given& g) { return !generates_answers(g) || training(g).generates; },
    "Only with generation vllm, of grpo."};
inline constexpr Rule kNoVllmBeside = {
    [](const Given& g) { return training(g).vllm.share == 0; },
    "vLLM runs on other GPUs: also give its share of this one (memory_share)."};
inline constexpr Rule kLstmDropout = {is_lstm, "An LSTM is estimated without dropout."};
inline constexpr Rule kNoDropout = {[](const Given& g) { return training(g).without_dropout(); },
                                    "TRL's trainers of preferences and PPO switch dropout off."};
inline constexpr Rule kNoDataset = {
    has_no_dataset, "Only the training hours depend on it: also give the dataset's size."};
inline constexpr Rule kNoPipeline = {
    [](const Given& g) { return training(g).parallel.pipeline == 1; },
    "It is a pipeline's: also give pipeline_parallel."};

}  // namespace plimsoll::jobs::training_config::rules
