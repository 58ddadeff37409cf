#pragma once

#include "engine/training/tape/graph.hpp"

#include <cstdint>
#include <initializer_list>
#include <vector>

// The operations that models consist of. Each allocates, saves and later frees what PyTorch's
// operation of that name does on CUDA; `group` classifies its result.

namespace plimsoll::training {

// The memory ledger's name for allocations of backward kernels.
inline constexpr auto kBackward = Group::backward_temporaries;

// Indices of a linear layer's parameters; -1 where it has none.
struct Linear {
    int weight = -1;
    int bias = -1;
    int lora_a = -1;
    int lora_b = -1;
    int magnitude = -1;  // DoRA's
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t rank = 0;
};
struct Norm {
    int weight = -1;
    int bias = -1;
    std::int64_t width = 0;
};

// x of rows * in elements -> rows * out. Adapters, if any, are applied as peft does. `conv1d` is
// GPT-2's layer, whose arguments autocast converts in another order.
Var linear(Graph& g, const Var& x, const Linear& layer, Group group, bool conv1d = false);
// Likewise, by a weight that is no parameter.
Var linear_with(Graph& g, const Var& x, const Var& weight, std::int64_t in, std::int64_t out,
                Group group);
// Whether one kernel computes the layer with its adapters, and that kernel; the second of a gated
// feed-forward's activation and last layer.
bool fuses_adapters(Graph& g, const Linear& layer, const Var& x);
Var fused_linear(Graph& g, const Var& x, const Linear& layer, Group group);
Var fused_gated(Graph& g, const Var& gate, const Var& up, const Linear& down, Group group);
// `layer.in` numbers are read for each of `positions` outputs of layer.out numbers.
Var convolution(Graph& g, const Var& x, const Linear& layer, std::int64_t positions, Group group);
// Of every channel's last numbers alone; `weight` is a parameter that autocast converts each time.
// `by_channels` is what it takes, of which the gradient comes back in that order.
Var by_channels(Graph& g, const Var& x, std::int64_t channels);
Var causal_convolution(Graph& g, const Var& x, int weight, std::int64_t channels, Group group);
// torch.nn.MultiheadAttention's input projection of a transposed tensor: copied, multiplied, the
// bias added in place. `part` of 1 uses the whole packed weight; less uses that share of it (a
// slice).
struct PackedWeight {
    int weight = -1;
    int bias = -1;
    std::int64_t width = 0;  // model width; the weight is [3 * width, width]
};
Var packed_projection(Graph& g, const Var& x, const PackedWeight& packed, std::int64_t parts,
                      Edge weight_slice, Edge bias_slice);
// Gradients of slices of a packed weight or bias are concatenated.
Edge packed_slices(Graph& g, int parameter);
Var layer_norm(Graph& g, const Var& x, const Norm& norm, Group group = Group::norms);
Var rms_norm(Graph& g, const Var& x, int weight, std::int64_t width);
// OLMo's: the product in fp32 is converted to the type of x.
Var wide_rms_norm(Graph& g, const Var& x, int weight, std::int64_t width);
// Gemma's: by 1 + weight, all of it in fp32, then converted to the type of x.
Var unit_rms_norm(Graph& g, const Var& x, int weight, std::int64_t width);
// Gemma 4's: by a power of the mean of squares and by the weight, if any, likewise.
Var power_rms_norm(Graph& g, const Var& x, int weight, std::int64_t width);
// T5's: x is divided, in its own type, by the mean of squares in fp32.
Var t5_norm(Graph& g, const Var& x, int weight, std::int64_t width);
// Llama 4's: to unit length, in fp32, without a weight.
Var unit_length(Graph& g, const Var& x, std::int64_t width);
// A parameter as an operand of ordinary operations.
Var parameter(Graph& g, int index);

Var to(Graph& g, const Var& x, Dtype dtype, Group group);
Var dropout(Graph& g, const Var& x, double p, Group group);
Var add(Graph& g, const Var& x, const Var& y, Group group);  // y may be a broadcast smaller tensor
Var add_in_place(Graph& g, const Var& x, const Var& y);      // y of the same size
Var scale(Graph& g, const Var& x, Group group);              // times a Python number
Var shift(Graph& g, const Var& x, Group group);              // plus a Python number
Var power(Graph& g, const Var& x, Group group);              // to a Python number
// One factor may be smaller: a vector repeated over rows (its gradient is a sum over rows), or one
// number per row.
enum class Broadcast { none, over_rows, over_columns };
Var multiply(Graph& g, const Var& x, const Var& y, Group group,
             Broadcast broadcast = Broadcast::none);
Var divide_by_constant(Graph& g, const Var& x, const Var& y, Group group);  // y wants no gradient
Var negate(Graph& g, const Var& x, Group group);
Var gelu(Graph& g, const Var& x, Group group);
Var gelu_new(Graph& g, const Var& x, Group group);  // the tanh formula written in Python
// BLOOM's: the tanh formula as one node, which keeps x and needs several temporaries.
Var composed_gelu(Graph& g, const Var& x, Group group);
Var silu(Graph& g, const Var& x, Group group);
Var softplus(Graph& g, const Var& x, Group group);
Var exponential(Graph& g, const Var& x, Group group);
Var relu(Graph& g, const Var& x, Group group);  // saves its result
Var tanh(Graph& g, const Var& x, Group group);
Var sigmoid(Graph& g, const Var& x, Group group);
// Through tanh, so that no number exceeds a cap: x / cap, tanh, times cap.
Var cap(Graph& g, Var x, Group group);
Var clamp(Graph& g, const Var& x, Group group);
// In fp32 under autocast, unless the code names the type.
Var softmax(Graph& g, const Var& x, Group group, bool named_type = false);
Var activate(Graph& g, const Var& x, Activation activation, Group group);

// A contiguous copy. Its gradient passes through, by another copy where that must change the order
// of dimensions.
Var copy(Graph& g, const Var& x, bool copies_back, Group group);
// No copy forward, one backward: a view whose gradient arrives in another order of dimensions.
Var reordered(Graph& g, const Var& x);
// batch * [m, k] x [k, n].
Var bmm(Graph& g, const Var& a, const Var& b, std::int64_t batch, std::int64_t m, std::int64_t k,
        std::int64_t n, Group group);
// Scaled dot-product attention over tensors of [batch, heads, tokens, head size].
struct AttentionShape {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t head_dim = 0;
    double dropout = 0;
    bool causal = false;
    bool mask = false;           // a boolean mask of [batch, 1, queries, keys]
    bool capped = false;         // eager scores go through tanh
    bool by_heads = false;       // q lies in the order of heads, not of rows
    bool biased = false;         // scores have a bias of their own besides a mask
    bool trained_bias = false;   // which wants a gradient
    std::int64_t value_dim = 0;  // of a head's v, if it is not head_dim
    std::int64_t value_width() const { return value_dim > 0 ? value_dim : head_dim; }
};
SdpaKernel choose_sdpa(const TrainingSettings& settings, const TapeDevice& device, Dtype dtype,
                       const AttentionShape& shape);
// `bias` is a mask of numbers, of [heads, queries, keys] or empty; it may want a gradient.
Var sdpa(Graph& g, const Var& q, const Var& k, const Var& v, const AttentionShape& shape,
         const Var& bias = {});
// Likewise, of a card's part of every text to all of it.
Var ring_attention(Graph& g, const Var& q, const Var& k, const Var& v, const AttentionShape& shape,
                   SdpaKernel kernel);
// From the package flash-attn, which takes no mask: a packed row is described by the texts'
// lengths, and padded texts are copied without padding.
Var flash_attention(Graph& g, const Var& q, const Var& k, const Var& v,
                    const AttentionShape& shape);
// transformers' eager attention; `bias` is an additive mask or empty. The families differ in where
// they convert the probabilities back to the type of q.
enum class Probabilities {
    after_dropout,   // BERT: only autocast's product converts them
    before_dropout,  // GPT-2
    fp32_softmax,    // Llama: softmax in fp32 always, converted before dropout
};
// Repeats every head of k or v for the queries that share it: a copy whose gradient is summed per
// group.
Var repeat_heads(Graph& g, const Var& x, std::int64_t times);
// transformers' repeat_kv: of a single head, all are views.
Var repeat_kv(Graph& g, const Var& x, const AttentionShape& shape);
// `weights` receives the probabilities, which callers hold for a while.
Var eager_attention(Graph& g, const Var& q, const Var& k, const Var& v, const Var& bias,
                    const AttentionShape& shape, Probabilities probabilities, Var& weights,
                    const Var& mask = {}, const Var& sinks = {});

// x repeated over a leading dimension, as a view; the gradient is a sum.
Var expand(Graph& g, const Var& x, std::int64_t elements);
// Elements of x at one index each; PyTorch also keeps x, for its size.
Var gather(Graph& g, const Var& x, std::int64_t elements, const Var& index, Group group);
// x with one number where `mask` is set; the mask may be a smaller, repeated tensor.
Var masked_fill(Graph& g, const Var& x, const Var& mask, bool in_place, Group group);
// Rows of x picked by index: a copy; the gradient is zeros of x's size.
Var pick_rows(Graph& g, const Var& x, std::int64_t elements, Group group);
// y with rows added at an index, out of place: the addend's gradient is picked again.
Var add_rows(Graph& g, const Var& y, const Var& rows, Group group);
// Sum over tokens or the like: the gradient is a view.
Var reduce(Graph& g, const Var& x, std::int64_t elements, Group group);
// A part of x that shares its storage; the gradient is zeros of x's size around it.
Var slice(Graph& g, const Var& x, std::int64_t elements);
// Views of parts of x, whose gradients are concatenated; of the first elements and of the others.
std::vector<Var> split(Graph& g, const Var& x, std::initializer_list<std::int64_t> parts);
std::array<Var, 2> split_at(Graph& g, const Var& x, std::int64_t first);
// An empty tensor into whose two parts x and y are copied.
Var fill(Graph& g, const Var& x, const Var& y);
// Likewise, of equal size.
std::array<Var, 2> split2(Graph& g, const Var& x);
std::array<Var, 3> split3(Graph& g, const Var& x);
// Side by side in a new tensor; gradients are views of its gradient.
Var concatenate(Graph& g, const Var& x, const Var& y, Group group, const Var& z = {});
// The last two halves exchanged, one negated: cat(-x2, x1) of rotary positions.
Var rotate_half(Graph& g, const Var& x, Group group);

// Tensor parallelism. From a card's part of the text, all of it; and of what each card computed for
// all of the text, the sum for its part. With one card, x.
Var gather_text(Graph& g, Var x, Group group);
Var scatter_text(Graph& g, Var x, Group group);

// `indices` are kept for backward where they were made for this lookup; those of the batch outlive
// it.
Var embedding(Graph& g, int table, std::int64_t rows, std::int64_t width, const Var& indices,
              bool word_table = false);
// The input of the layers if it does not come from embedding() itself.
Var as_input(Graph& g, Var x, int table);

Var log_softmax(Graph& g, const Var& x);
// Mean cross-entropy over `rows` of logits; `labels` (int64) are kept until backward.
Var cross_entropy(Graph& g, const Var& logits, const Var& labels);
// The product of a language model's head and its cross-entropy in one, as Liger computes them.
Var fused_linear_cross_entropy(Graph& g, const Var& x, const Linear& head);
Var mse_loss(Graph& g, const Var& prediction, const Var& target);
Var divide_scalar(Graph& g, const Var& x);  // loss / accumulation: a few bytes with a node

// Allocates the sum of rows and its scratch; the scratch is freed.
BufferId sum_rows(Graph& g, std::int64_t rows, std::int64_t columns, Dtype dtype, Group group);

}  // namespace plimsoll::training
