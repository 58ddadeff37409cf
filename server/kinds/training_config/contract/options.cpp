#include "server/kinds/training_config/contract/options.hpp"

#include "server/kinds/training_config/contract/bytes.hpp"
#include "server/kinds/training_config/contract/fields.hpp"
#include "server/kinds/training_config/contract/rules.hpp"

#include <algorithm>

namespace plimsoll::jobs::training_config {
namespace {

using namespace rules;
using R = tr::ReportRequest;
using S = tr::TrainingSettings;
using L = tr::Lora;
using V = tr::VllmBeside;
using P = tr::Parallel;
using O = tr::Observation;

// In the order in which they are read.
constexpr Option kOptions[] = {
    {.pointer = "/model/labels",
     .no_effect = {{{[](const Given& g) {
                         return g.report.shape.is_series() || !is_not_naics(g) ||
                                g.report.shape.head == tr::Head::language_model;
                     },
                     "Only a classifier has labels."}}}},
    {.pointer = "/model/dimensions/tied_head",
     .no_effect = {{{[](const Given& g) {
                         return g.report.shape.head != tr::Head::language_model ||
                                is_family(g, tr::Family::t5);
                     },
                     "Only a language model's head can be tied, and t5's always is."}}}},
    {.pointer = "/model/hidden_dropout", .no_effect = {{kLstmDropout, kNoDropout}}},
    {.pointer = "/model/attention_dropout", .no_effect = {{kLstmDropout, kNoDropout}}},

    {.pointer = "/training/sequence_length", .field = fields::setting<&S::sequence>},
    {.pointer = "/training/target_length",
     .field = fields::setting<&S::target>,
     .headline = "targets of {} tokens"},
    {.pointer = "/training/batch", .field = fields::report<&R::batch>},
    {.pointer = "/training/interval",
     .field = fields::report<&R::interval>,
     .no_effect = {{{[](const Given& g) { return g.report.goal != tr::Goal::guide; },
                     "It chooses the guide's batch: set the goal to guide."}}}},
    {.pointer = "/training/pretraining",
     .field = {[](Request& request, const json& value) { value.get_to(request.pretraining); },
               [](const Request& request) { return json(request.pretraining); }},
     .no_effect = {{{[](const Given& g) {
                         return follows_guide(g) ||
                                (gives(g, "/target_effective_batch") &&
                                 (gives(g, "/learning_rate/base") || is_sgd(g)));
                     },
                     "It sets the default effective batch and learning rate, but both are given or "
                     "set by the guide."}}}},
    {.pointer = "/training/method",
     .field = fields::setting_word<kMethods, &S::method>,
     .headline = "method {}",
     .limit =
         {[](const Given& g) { return training(g).without_dropout() && !is_ppo(g); },
          "The step is that of TRL 1.16, with every token in an answer. A batch counts pairs of "
          "answers, or single ones for kto."}},
    {.pointer = "/training/reference",
     .field = fields::setting_word<kReferences, &S::reference>,
     .headline = "reference {}",
     .no_effect = {{kNoReference,
                    {[](const Given& g) {
                         return training(g).reference == tr::Reference::by_layer &&
                                !(tr::is_fsdp(tr::layout_of(training(g)).sharding) &&
                                  has_no_adapters(g));
                     },
                     "Only FSDP shards a copy of the model by its layers: set reference to "
                     "model."}}},
     .limit =
         {is_ppo,
          "The step is that of TRL 1.12, the last release with PPO, in rollouts of 64 answers. "
          "Value and reward models are as large as the policy, and the value model is trained "
          "whole."}},
    {.pointer = "/training/whole_logits",
     .field = fields::setting<&S::whole_logits>,
     .headline = "whole logits",
     .no_effect = {{{has_no_whole_logits, "Only dpo and kto can hold all logits."}}}},
    {.pointer = "/training/generation",
     .field = fields::setting_word<kGenerators, &S::generates>,
     .headline = "generation by {}",
     .no_effect = {{{[](const Given& g) { return !generates_answers(g); },
                     "Only grpo generates answers."}}},
     .limit = {generates_answers,
               "The step is that of TRL 1.16. Reward models and the time of generation are not "
               "counted, nor are segments that the growing cache leaves free, which PyTorch "
               "returns before memory runs out."}},
    {.pointer = "/training/vllm/memory_share",
     .field = fields::beside<&V::share>,
     .headline = "vLLM beside the trainer on {} of the GPU",
     .no_effect = {{kWithoutVllm}},
     .limit = {[](const Given& g) { return training(g).vllm.share > 0; },
               "vLLM beside the trainer (vLLM 0.33, TRL 1.16) counts as the whole share of the GPU "
               "that it asks for; what its activations take of it is free while the model learns. "
               "Its CUDA graphs, which it keeps asleep, are not counted, and nothing of this was "
               "compared on a GPU. Set vllm_max_model_length: else its cache must hold the model's "
               "own longest text."}},
    {.pointer = "/training/vllm/sleep",
     .field = fields::beside<&V::sleeps>,
     .headline = "asleep while the model learns",
     .no_effect = {{kWithoutVllm, kNoVllmBeside}}},
    {.pointer = "/training/vllm/tensor_parallel",
     .field = fields::beside<&V::cards>,
     .no_effect = {{kWithoutVllm, kNoVllmBeside}}},
    {.pointer = "/training/vllm/max_length",
     .field = fields::beside<&V::longest>,
     .no_effect = {{kWithoutVllm, kNoVllmBeside}}},
    {.pointer = "/training/precision", .field = fields::kPrecision},
    {.pointer = "/training/optimizer", .field = fields::setting_word<kOptimizers, &S::optimizer>},
    {.pointer = "/training/optimizer_kernel",
     .field = fields::setting_word<kOptimizerKernels, &S::kernel>,
     .no_effect = {{{[](const Given& g) { return training(g).optimizer != tr::Optimizer::adamw; },
                     "Only adamw has several kernels."},
                    {[](const Given& g) { return tr::layout_of(training(g)).offloads_optimizer; },
                     "An offloaded optimizer runs on the host's CPU."}}}},
    {.pointer = "/training/attention",
     .field = fields::setting_word<kAttentions, &S::attention>,
     .headline = "attention {}",
     .no_effect = {{{[](const Given& g) { return g.report.shape.is_series(); },
                     "The model has only one implementation of attention."}}},
     .limit = {[](const Given& g) { return training(g).attention == tr::Attention::flash; },
               "The memory that FlashAttention-2 keeps and allocates follows the source of "
               "flash-attn 2.8; its kernels need a GPU and were not compared."}},
    {.pointer = "/training/packed",
     .field = fields::setting<&S::packed>,
     .headline = "packed texts",
     .limit = {[](const Given& g) { return training(g).packed; },
               "Packed batches are estimated as full: every row of texts has the full length."}},
    {.pointer = "/training/fused_loss",
     .field = fields::setting<&S::fused_loss>,
     .headline = "fused loss",
     .limit = {[](const Given& g) { return training(g).fused_loss; },
               "The fused loss is Liger's (liger-kernel 0.8) with its defaults; its other kernels "
               "are off."}},
    {.pointer = "/training/free_logits",
     .field = fields::setting<&S::frees_logits>,
     .headline = "freed logits",
     .no_effect = {{{[](const Given& g) {
                         return g.report.shape.head != tr::Head::language_model ||
                                training(g).fused_loss ||
                                training(g).method != tr::Method::supervised ||
                                training(g).parallel.pipeline > 1;
                     },
                     "Only a language model's supervised step without a fused loss holds all "
                     "logits, and a pipeline needs those of every micro-batch."}}}},
    {.pointer = "/training/fused_adapters",
     .field = fields::setting<&S::fused_adapters>,
     .headline = "fused adapters",
     .limit = {[](const Given& g) { return training(g).fused_adapters; },
               "Fused LoRA kernels follow axolotl 0.19's source; they need a GPU and were not "
               "compared step by step."}},
    {.pointer = "/training/optimizer_in_backward",
     .field = fields::setting<&S::optimizer_in_backward>,
     .headline = "optimizer in backward",
     .limit = {[](const Given& g) { return training(g).optimizer_in_backward; },
               "Updates during backward follow torchtune's hooks, one weight at a time."}},
    {.pointer = "/training/checkpointing",
     .field = fields::setting<&S::checkpointing>,
     .headline = "checkpointing"},
    {.pointer = "/training/checkpointing_every",
     .field = fields::setting<&S::checkpointed_every>,
     .headline = "one layer in {}",
     .no_effect = {{{[](const Given& g) { return !training(g).checkpointing; },
                     "It says which layers are recomputed: also set checkpointing."}}}},
    {.pointer = "/training/selective_checkpointing",
     .field = fields::setting<&S::selective>,
     .headline = "selective",
     .no_effect = {{{[](const Given& g) { return !training(g).checkpointing; },
                     "It selects what checkpoints keep: also set checkpointing."}}},
     .limit = {[](const Given& g) { return training(g).selective; },
               "Selective checkpoints keep what torchtitan's policy keeps, around the layers of "
               "transformers."}},
    // tests/integration/published_runs_test.py computes both ranges anew.
    {.pointer = "/training/compile",
     .field = fields::report<&R::compiled>,
     .limit = {[](const Given& g) { return g.report.compiled; },
               "Compiling is not modelled: of 25 published compiled runs of torchtune and "
               "torchtitan, the estimate of the same run without it was between 12.8 % low and "
               "25.2 % high."}},
    {.pointer = "/training/fp8",
     .field = fields::report<&R::fp8>,
     .limit = {[](const Given& g) { return g.report.fp8; },
               "FP8 is not modelled: of 14 published runs of torchtitan in FP8, all compiled, the "
               "estimate of the same run in bf16 was between 12.8 % low and 5.5 % high."}},
    {.pointer = "/training/frozen_embeddings",
     .field = fields::setting<&S::frozen_embeddings>,
     .headline = "frozen embeddings"},
    {.pointer = "/training/frozen_layers",
     .field = fields::setting<&S::frozen_layers>,
     .headline = "{} frozen layers"},
    {.pointer = "/training/padded",
     .field = fields::setting<&S::padded>,
     .headline = "padded batches",
     .no_effect = {{{[](const Given& g) {
                         return g.report.lengths && !training(g).packed &&
                                g.report.lengths->mean < g.report.lengths->longest;
                     },
                     "The histogram of lengths implies padding in the batches."}}}},
    {.pointer = "/training/clip", .field = fields::setting<&S::clip>, .headline = "no clipping"},
    {.pointer = "/training/negatives",
     .field = fields::setting<&S::negatives>,
     .no_effect = {{{is_not_naics,
                     "Only the NAICS encoder trains with positives and negatives."}}}},
    {.pointer = "/training/lora/rank",
     .field = fields::setting<&S::lora, &L::rank>,
     .headline = "LoRA of rank {}"},
    {.pointer = "/training/lora/targets",
     .field = fields::setting_word<kLoraTargets, &S::lora, &L::targets>,
     .no_effect = {{kNoAdapters,
                    {[](const Given& g) { return gives(g, "/training/lora/modules"); },
                     "The modules name the layers: omit targets or modules."}}}},
    {.pointer = "/training/lora/modules",
     .field = fields::kLoraModules,
     .no_effect = {{kNoAdapters}}},
    {.pointer = "/training/lora/dropout",
     .field = fields::setting<&S::lora, &L::dropout>,
     .no_effect = {{kNoAdapters, kNoDropout}}},
    {.pointer = "/training/lora/dtype",
     .field = fields::setting_word<kAdapterTypes, &S::lora, &L::wide>,
     .no_effect = {{kNoAdapters,
                    {[](const Given& g) {
                         const bool narrows = tr::layout_of(training(g)).narrow_trained &&
                                              training(g).quantization != tr::Quantization::none;
                         return !narrows && (!training(g).half_weights() || shards(g));
                     },
                     "Adapters have a data type of their own only with 16-bit weights (precision "
                     "bf16 or fp16), or all_bf16 with quantized ones under autocast, that are not "
                     "sharded."}}}},
    {.pointer = "/training/lora/modules_to_save",
     .field = fields::setting<&S::lora, &L::whole>,
     .headline = "{} trained whole",
     .no_effect = {{kNoAdapters}}},
    {.pointer = "/training/lora/dora",
     .field = fields::setting<&S::lora, &L::dora>,
     .headline = "DoRA",
     .no_effect = {{kNoAdapters}}},
    {.pointer = "/training/quantization",
     .field = fields::setting_word<kQuantizations, &S::quantization>,
     .headline = "frozen weights in {}",
     .limit = {[](const Given& g) { return training(g).quantization == tr::Quantization::int8; },
               "Outliers of LLM.int8 are not counted: how many inputs it keeps in 16 bits depends "
               "on the data."}},

    {.pointer = "/safety_margin", .field = fields::report<&R::search, &tr::SearchOptions::safety>},
    {.pointer = "/reserved_elsewhere_gib",
     .field = fields::report_bytes<kGiB, &R::search, &tr::SearchOptions::reserved_elsewhere>},
    {.pointer = "/target_effective_batch",
     .field = fields::report<&R::target_effective_batch>,
     .no_effect = {{{follows_guide,
                     "The guide sets the batch and the accumulation on these GPUs."}}}},
    {.pointer = "/goal",
     .field = fields::report_word<kGoals, &R::goal>,
     .no_effect = {{{has_batch,
                     "A requested batch leaves nothing to recommend: omit batch or goal."}}}},
    {.pointer = "/learning_rate/base",
     .field = fields::report<&R::rate, &tr::RateQuestion::base_rate>},
    {.pointer = "/learning_rate/base_batch",
     .field = fields::report<&R::rate, &tr::RateQuestion::base_batch>,
     .no_effect = {{{[](const Given& g) { return !gives(g, "/learning_rate/base"); },
                     "Also give the learning rate for this batch."}}}},
    {.pointer = "/learning_rate/noise_scale",
     .field = fields::report<&R::rate, &tr::RateQuestion::noise_scale>,
     .no_effect = {{{is_sgd, "The rule for SGD does not depend on it."},
                    {[](const Given& g) {
                         return gives(g, "/learning_rate/base") &&
                                !gives(g, "/learning_rate/base_batch");
                     },
                     "A rate without its batch is kept as it is: also give the batch."}}}},
    {.pointer = "/workload/dataset_size",
     .field = fields::report<&R::workload, &tr::Workload::dataset_size>},
    {.pointer = "/workload/epochs", .field = fields::report<&R::workload, &tr::Workload::epochs>},
    {.pointer = "/workload/models",
     .field = fields::report<&R::workload, &tr::Workload::models>,
     .no_effect = {{kNoDataset}}},
    {.pointer = "/workload/parallel_workers",
     .field = fields::report<&R::workload, &tr::Workload::parallel_workers>,
     .no_effect = {{kNoDataset,
                    {[](const Given& g) {
                         return g.report.workload.parallel_workers > g.report.workload.models;
                     },
                     "It exceeds the number of models to train."}}}},
    {.pointer = "/host/cpu_cores", .field = fields::report<&R::cpu_cores>},
    {.pointer = "/host/ram_gib", .field = fields::report_bytes<kGiB, &R::host_ram_bytes>},
    {.pointer = "/host/heavy_preprocessing", .field = fields::report<&R::heavy_preprocessing>},
    {.pointer = "/cluster/cards", .field = fields::setting<&S::cards>, .headline = "{} GPUs"},
    {.pointer = "/cluster/tensor_parallel",
     .field = fields::setting<&S::parallel, &P::tensor>,
     .headline = "tensor parallelism over {} GPUs",
     .limit = {[](const Given& g) { return training(g).parallel.tensor > 1; },
               "Tensor parallelism is torchtitan's, around the layers of transformers."}},
    {.pointer = "/cluster/context_parallel",
     .field = fields::setting<&S::parallel, &P::context>,
     .headline = "context parallelism over {} GPUs",
     .limit = {[](const Given& g) { return training(g).parallel.context > 1; },
               "Context parallelism is PyTorch's ring attention; what its kernels need on a GPU "
               "was not compared."}},
    {.pointer = "/cluster/expert_parallel",
     .field = fields::setting<&S::parallel, &P::expert>,
     .headline = "expert parallelism over {} GPUs",
     .limit = {[](const Given& g) { return training(g).parallel.expert > 1; },
               "Experts are torchtitan's layer, used evenly, without a loss that balances them."}},
    {.pointer = "/cluster/pipeline_parallel",
     .field = fields::setting<&S::parallel, &P::pipeline>,
     .headline = "pipeline of {} stages",
     .limit = {[](const Given& g) { return training(g).parallel.pipeline > 1; },
               "Stages are torchtitan's; what is estimated is the GPU with the most to hold."}},
    {.pointer = "/cluster/schedule",
     .field = fields::setting_word<kSchedules, &S::parallel, &P::schedule>,
     .no_effect = {{kNoPipeline}}},
    {.pointer = "/cluster/microbatches", .field = fields::setting<&S::parallel, &P::microbatches>},
    {.pointer = "/cluster/sharding",
     .field = fields::setting_word<kShardings, &S::sharding>,
     .headline = "{}",
     .no_effect = {{{[](const Given& g) {
                         return tr::layout_of(training(g)).sharding == tr::Sharding::none;
                     },
                     "One copy of the model has nothing to shard: give more GPUs, or a stage of "
                     "ZeRO, which has a layout of its own on one, too."}}},
     .limit = {[](const Given& g) {
                   return tr::layout_of(training(g)).sharding != tr::Sharding::none ||
                          training(g).parallel.cards() > 1;
               },
               "The time that the GPUs take to exchange data is not counted."}},
    {.pointer = "/cluster/offload",
     .field = fields::setting_word<kOffloads, &S::offload>,
     .headline = "offload of {}",
     .limit = {[](const Given& g) { return tr::layout_of(training(g)).offloads_optimizer; },
               "Offload was compared with DeepSpeed's own steps; FSDP's was not. The host keeps 16 "
               "to 18 bytes of each trained parameter."}},
    {.pointer = "/cluster/replicas",
     .field = fields::setting<&S::replicas>,
     .headline = "{} replicas",
     .no_effect = {{{[](const Given& g) {
                         return !tr::is_fsdp(tr::layout_of(training(g)).sharding);
                     },
                     "Only FSDP shards in groups: set sharding to fsdp."}}}},
    {.pointer = "/cluster/fp32_reduce",
     .field = fields::setting<&S::wide_sums>,
     .headline = "gradients added up in fp32",
     .no_effect = {{{[](const Given& g) {
                         const auto layout = tr::layout_of(training(g));
                         return !tr::is_fsdp(layout.sharding) || !layout.mixed;
                     },
                     "Only FSDP with 16-bit copies of fp32 weights (precision bf16_autocast or "
                     "fp16_autocast) has another type for sums."}}}},
    {.pointer = "/cluster/reduce_bucket_size",
     .field = fields::setting<&S::bucket>,
     .no_effect = {{{[](const Given& g) { return !tr::layout_of(training(g)).is_zero(); },
                     "Only DeepSpeed's ZeRO has such buckets: set sharding to zero1, zero2 or "
                     "zero3."}}}},
    {.pointer = "/observed/gpu_percent", .field = fields::observed<&O::gpu_percent>},
    {.pointer = "/observed/cpu_percent", .field = fields::observed<&O::cpu_percent>},
    {.pointer = "/observed/memory_percent", .field = fields::observed<&O::memory_percent>},
    {.pointer = "/observed/out_of_memory", .field = fields::observed<&O::out_of_memory>},
    {.pointer = "/observed/batch", .field = fields::observed<&O::batch>},
    {.pointer = "/observed/accumulation", .field = fields::observed<&O::accumulation>},
    {.pointer = "/observed/loader_workers", .field = fields::observed<&O::loader_workers>},
    {.pointer = "/observed/step_seconds", .field = fields::observed<&O::step_seconds>},
    {.pointer = "/allocator/expandable_segments",
     .field =
         fields::report<&R::search, &tr::SearchOptions::estimate, &tr::EstimateOptions::allocator,
                        &tr::AllocatorSettings::expandable_segments>},
    {.pointer = "/allocator/max_split_size_mb",
     .field =
         fields::report_bytes<kMiB, &R::search, &tr::SearchOptions::estimate,
                              &tr::EstimateOptions::allocator, &tr::AllocatorSettings::max_split>,
     .no_effect = {{{[](const Given& g) {
                         return g.report.search.estimate.allocator.expandable_segments;
                     },
                     "Expandable segments are always split: omit max_split_size_mb or "
                     "expandable_segments."}}}},
    {.pointer = "/what_ifs", .field = fields::report<&R::what_ifs>},
    {.pointer = "/probe",
     .field = {[](Request& request, const json& value) { value.get_to(request.probe); },
               [](const Request& request) { return json(request.probe); }}},
};

}  // namespace

std::span<const Option> options() { return kOptions; }

const Option* option_at(std::string_view pointer) {
    const auto* found = std::ranges::find_if(
        kOptions, [&](const Option& option) { return is_inside(pointer, option.pointer); });
    return found == std::end(kOptions) ? nullptr : found;
}

}  // namespace plimsoll::jobs::training_config
