#pragma once

#include "engine/training/models/model_shape.hpp"
#include "engine/training/tape/graph.hpp"

#include <vector>

// The forward passes of the supported families, written in the tape's operations.

namespace plimsoll::training {

// A micro-batch on the device. Text models take ids and a mask, series models take numbers.
struct Batch {
    Var ids, mask, labels;
    Var other_ids, other_mask;  // naics: the negatives
    Var series, target;         // of images and sound, the input alone
    Var received;               // from a pipeline's stage before, in place of embeddings
    bool generates = false;     // only the last tokens' logits are of interest
};

// What a training loop keeps of a forward pass: the loss and the outputs object with its logits.
struct Outputs {
    Var loss;
    Var logits;
    Var encoded;               // t5
    std::vector<Var> routers;  // logits of mixtures whose routers have a loss
    Var router_loss;
    Var sent;  // to a pipeline's next stage, in place of all this
};

// Hands out parameter indices in the order of list_parameters.
class ParameterCursor {
  public:
    explicit ParameterCursor(const Graph& graph) : graph_(graph), at_(graph.first_parameter()) {}
    int next() { return at_++; }
    void skip(int n) { at_ += n; }
    int position() const { return at_; }
    // True if the next two parameters are the adapters of the linear layer just read.
    bool adapters_follow() const;
    // A table of words, or the copy of it that follows and trains whole, if adapters do something.
    int table() { return copy_of(next()); }
    // Likewise, of a tied head.
    int copy_of(int table);

  private:
    const Graph& graph_;
    int at_;
};

Outputs bert_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs deberta_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs modernbert_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs vit_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs whisper_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs t5_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs bart_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs gpt2_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs gpt_neox_forward(Graph& g, const ModelShape& shape, const Batch& batch);
// Llama and similar models.
Outputs rms_norm_decoder_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs naics_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs temporal_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs lstm_forward(Graph& g, const ModelShape& shape, const Batch& batch);
Outputs forward(Graph& g, const ModelShape& shape, const Batch& batch);

// An encoder's hidden states, from its embeddings on; used alone and as a channel of naics.
// `before_return` runs while its embeddings and mask are still alive (BERT's pooler). Its layers
// are counted from `first_layer` on.
Var encoder_forward(Graph& g, const ModelShape& shape, ParameterCursor& parameters, const Var& ids,
                    const std::function<void(const Var&)>& before_return, int first_layer = 0);

}  // namespace plimsoll::training
