#pragma once

#include "engine/training/models/parameters.hpp"

#include <cstdint>

namespace plimsoll::training {

// Autocast keeps the weights in fp32. bf16 keeps them in 16 bits, and with them gradients and the
// optimizer's state; fp16 keeps frozen weights so, under autocast and a scaler. Adapters on either
// stay in fp32 (`Lora::wide`).
enum class Precision { fp32, bf16_autocast, fp16_autocast, bf16, fp16 };
// The paged ones are bitsandbytes': their state lies in memory that the driver moves to the host.
enum class Optimizer {
    adamw,
    sgd,
    sgd_momentum,
    adafactor,
    adam_8bit,
    paged_adamw,
    paged_adamw_8bit,
};
enum class OptimizerKernel { foreach, fused, single };  // PyTorch's implementations
// `flash` is the package flash-attn, which transformers calls flash_attention_2.
enum class Attention { sdpa, eager, flash };

// Which kernel scaled_dot_product_attention uses; `automatic` follows the framework's own choice
// for the card and the tensors.
enum class SdpaKernel { automatic, flash, efficient, cudnn, math };

// How several cards share a run; each trains on batches of its own. Memory layout as in
// PyTorch 2.11 (DistributedDataParallel, FSDP2's fully_shard on every layer and the root) and
// DeepSpeed with its default buffers.
enum class Sharding {
    none,          // one card
    ddp,           // full replicas, and buckets for all gradients
    zero1,         // optimizer state is sharded
    zero2,         // and gradients
    zero3,         // and weights; those of a billion parameters may be gathered at once
    fsdp,          // as zero3; a layer's weights are gathered while it runs
    fsdp_grad_op,  // and stay from its forward pass to its backward pass (SHARD_GRAD_OP)
};
inline bool is_fsdp(Sharding sharding) {
    return sharding == Sharding::fsdp || sharding == Sharding::fsdp_grad_op;
}

// What DeepSpeed, or FSDP2's CPUOffloadPolicy, keeps and updates in the host's memory.
enum class Offload {
    none,
    optimizer,   // its state, the masters and the gradients' shards
    parameters,  // with ZeRO-3 and FSDP: also the weights' shards
};

// How bitsandbytes stores the linear layers of a frozen model. Everything else is fp32, as after
// peft's prepare_model_for_kbit_training, unless the precision keeps weights in 16 bits.
enum class Quantization {
    none,
    nf4,         // four bits and an fp32 scale for 64 weights
    nf4_double,  // with quantized scales
    int8,        // LLM.int8
};

// In which order a pipeline's card runs its micro-batches forward and backward.
enum class Schedule {
    one_f_one_b,  // backward as soon as it can: the card of stage s holds stages - s of them
    interleaved,  // likewise, of cards that have two stages each, far apart
    gpipe,        // all forward, then all backward
};

// How one copy of the model is divided among cards, each of which holds a part of what others hold
// whole: Megatron-LM's layout, which is torchtitan's, too.
struct Parallel {
    int tensor = 1;    // cards that divide heads, feed-forward and words of every layer
    int context = 1;   // that divide every text, and send keys and values around
    int expert = 1;    // that have some of every layer's experts each, among those that shard it
    int pipeline = 1;  // that have some of the layers each, and send on what these make
    int microbatches = 1;  // that a pipeline trains in one go
    Schedule schedule = Schedule::one_f_one_b;
    int rank = -1;  // the pipeline's card that is meant; -1: that with the most to hold

    int cards() const { return tensor * context * pipeline; }  // of one copy
    int stages() const { return pipeline * (schedule == Schedule::interleaved ? 2 : 1); }
};

// The properties of a card that affect the tape.
struct TapeDevice {
    int compute_capability = 90;
    int multiprocessors = 132;
    int threads_per_multiprocessor = 2048;
};

// Cards of one generation take the same kernels and workspaces: their tapes differ in nothing but
// the scratch of reductions. Its lowest compute capability.
int generation_of(const TapeDevice& device);

// What is learnt from, as TRL runs it. The rows of a batch are pairs of answers, but for kto, grpo
// and ppo.
enum class Method {
    supervised,  // labels, or the text itself
    dpo,         // against a reference model
    orpo,        // without one
    kto,         // single answers against a reference model, each also with another prompt's
    reward,      // a number for each answer
    grpo,        // rewards of answers that the model itself generates
    ppo,         // likewise, beside a value model that is trained, too
};

// What dpo, kto, grpo and ppo compare with: the model without its adapters, or a copy.
enum class Reference {
    none,      // its log-probabilities are known or unused
    model,     // FSDP2 shards a copy as one unit, as TRL prepares it
    by_layer,  // or its layers in turn, as FSDP1, LLaMA-Factory and axolotl do
};

// vLLM in the process that trains, where it generates (TRL's vllm_mode "colocate").
struct VllmBeside {
    double share = 0;     // of the GPU's memory, which it takes (gpu_memory_utilization); 0: none
    bool sleeps = false;  // without weights and cache while the model learns
    int cards = 1;        // among which its weights are divided
    std::int64_t longest = 0;  // tokens of a text that its cache must hold; 0: prompt and answer
};

// Which code the op lists describe. Torch decides kernels and workspaces, transformers the model.
enum class Framework {
    torch_2_11,  // PyTorch 2.11 with transformers 5.17 and peft 0.21
};

// How the model is trained, as seen by the process of one card.
struct TrainingSettings {
    std::int64_t batch = 8;  // samples per micro-batch
    int sequence = 128;      // tokens or time steps
    int target = 0;          // tokens of a decoder's own text (t5), 0: as many; of an answer
    int accumulation = 1;    // micro-batches per optimizer step
    Precision precision = Precision::fp32;
    Optimizer optimizer = Optimizer::adamw;
    OptimizerKernel kernel = OptimizerKernel::foreach;
    Attention attention = Attention::sdpa;
    SdpaKernel sdpa = SdpaKernel::automatic;
    bool checkpointing = false;
    int checkpointed_every = 1;  // one in n layers, the last of them
    // And layers keep results of attention and of every second product, as torchtitan's do.
    bool selective = false;
    bool padded = false;  // real padding in the batch: a 4-D mask is built
    // Texts are concatenated into a single row of batch * sequence tokens, and each attends only to
    // itself (TRL's packing and padding_free).
    bool packed = false;
    bool fused_adapters = false;         // axolotl's and unsloth's kernels for LoRA
    bool optimizer_in_backward = false;  // updates a weight as soon as its gradient is complete
    bool fused_loss = false;  // Liger's: logits exist in chunks, gradients are made in forward
    Method method = Method::supervised;
    Reference reference = Reference::model;
    bool generates = true;       // of grpo: transformers does on this card; else vLLM
    VllmBeside vllm = {};        // on this card, too; else on others
    std::int64_t generated = 0;  // answers of a step, if more than a batch
    bool whole_logits = false;   // of dpo and kto: all in fp32, as LLaMA-Factory has them
    bool frees_logits = false;   // the loop deletes them before the backward pass
    bool clip = false;           // clip_grad_norm_
    bool set_to_none = true;     // zero_grad(set_to_none)
    bool hold_outputs = true;    // the loop keeps `outputs` until the next step
    int negatives = 0;           // naics: negative texts per anchor
    Lora lora = {};
    Quantization quantization = Quantization::none;  // with adapters
    bool frozen_embeddings = false;
    int frozen_layers = 0;  // from the bottom
    Sharding sharding = Sharding::none;
    Offload offload = Offload::none;
    int cards = 1;            // that share the run
    Parallel parallel = {};   // of a copy of the model among them
    bool wide_sums = false;   // FSDP adds up 16-bit gradients in fp32 (reduce_dtype)
    int replicas = 1;         // FSDP: groups of cards that each hold all shards (HSDP)
    std::int64_t bucket = 0;  // elements of DeepSpeed's buckets together; 0: as many as are trained
    Framework framework = Framework::torch_2_11;

    // Cards, or groups of them, that train on batches of their own.
    int copies() const { return cards / parallel.cards(); }
    // Batches that are trained side by side or in one go.
    int batches() const { return copies() * parallel.microbatches; }
    // Cards that have the same weights to keep. Those of one text shard them, too.
    int sharers() const { return cards / parallel.tensor / parallel.pipeline; }
    bool pairs() const {
        return method == Method::dpo || method == Method::orpo || method == Method::reward;
    }
    // The model writes texts of `target` tokens, of which it then learns.
    bool answers() const { return method == Method::grpo || method == Method::ppo; }
    bool uses_reference() const {
        return method == Method::ppo ||
               (reference != Reference::none &&
                (method == Method::dpo || method == Method::kto || method == Method::grpo));
    }
    // Most of TRL's trainers of answers switch it off.
    bool without_dropout() const {
        return pairs() || method == Method::kto || method == Method::ppo;
    }
    // Tokens of a text that count in its loss.
    int answer_length() const { return answers() ? target : sequence - 1; }
    // Tokens of one row of the batch, of which a packed batch has one.
    std::int64_t row_length() const { return packed ? batch * sequence : sequence; }
    int target_length() const { return target > 0 ? target : sequence; }
    bool half_weights() const {
        return precision == Precision::bf16 || precision == Precision::fp16;
    }
    // Tables and heads in fp32 beside 16-bit weights, which only autocast can multiply.
    bool widens_copies() const {
        return half_weights() && lora.rank > 0 && lora.wide == Lora::Wide::all &&
               !lora.whole.empty();
    }
    bool autocast() const {
        return precision == Precision::bf16_autocast || scaled() || widens_copies();
    }
    // By a GradScaler.
    bool scaled() const {
        return precision == Precision::fp16_autocast || precision == Precision::fp16;
    }
};

}  // namespace plimsoll::training
