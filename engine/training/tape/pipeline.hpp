#pragma once

#include "engine/training/tape/communication.hpp"
#include "engine/training/tape/families/models.hpp"

#include <memory>
#include <vector>

namespace plimsoll::training {

// A part of a pipeline's layers, as a smaller model.
struct PipelineStage {
    ModelShape shape;
    int index = 0;
    int first_layer = 0;
};

// Layers are spread evenly, where the embeddings count as one, and so do the last norm and head;
// the first stages have one more (torchtitan, distributed/pipeline_parallel.py).
std::vector<int> layers_of_stages(int layers, int stages);

// Those of one of its cards, in the order in which texts pass.
std::vector<PipelineStage> stages_of(const ModelShape& shape, const Parallel& parallel);

// The tape of the card that has most to hold: the first, which keeps the most micro-batches and has
// the embeddings, the second, which may have a layer more, or the last, which has the head.
Tape record_fullest(const ModelShape& shape, const TrainingSettings& settings,
                    const TapeDevice& device);

// One card of a pipeline, as torch.distributed.pipelining runs it: buffers for every micro-batch
// that is received are made once; graphs wait for their gradients; and gradients of all
// micro-batches are added up before FSDP sends them.
class Pipeline final : public Communication {
  public:
    Pipeline(Graph& graph, std::vector<PipelineStage> stages, const Layout& layout);

    // All parameters, in the graph's order.
    const std::vector<Parameter>& parameters() const { return parameters_; }
    // The micro-batches of `batch`, forward and backward.
    void run(const Batch& batch);
    void setup() override;
    void zero_gradients() override;

  private:
    // One micro-batch in one stage.
    struct Pass {
        BufferId activations = kNoBuffer, gradient = kNoBuffer;  // received
        Var input, result, loss;
    };
    struct OnCard {
        PipelineStage stage;
        int first_parameter = 0;
        std::vector<Parameter> parameters;
        std::unique_ptr<Communication> communication;
        std::vector<Pass> passes;
        std::vector<Var> losses;
    };
    struct Action {
        std::size_t stage = 0;  // of the card's
        int batch = 0;
        bool forward = true;
    };

    std::vector<Action> actions() const;
    std::vector<Action> interleaved_actions() const;
    void make_buffers();
    void forward(OnCard& on, int at, const Batch& batch);
    void backward(OnCard& on, int at, bool others_wait);

    Graph& g_;
    std::vector<OnCard> stages_;
    std::vector<Parameter> parameters_;
    bool made_ = false;
    Var newest_;             // Python's name of the last result
    std::vector<Var> sent_;  // gradients that are on their way
};

}  // namespace plimsoll::training
