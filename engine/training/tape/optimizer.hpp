#pragma once

#include "engine/training/models/parameters.hpp"
#include "engine/training/tape/graph.hpp"

#include <vector>

namespace plimsoll::training {

// The optimizer's part of a step: state allocated in the first step, temporaries in every step.
class OptimizerTape {
  public:
    OptimizerTape(Graph& graph, const std::vector<Parameter>& parameters)
        : graph_(graph), parameters_(parameters) {}

    void clip();     // torch.nn.utils.clip_grad_norm_
    void unscale();  // GradScaler.unscale_, once per step, a few bytes
    void step();
    void zero_gradients();

  private:
    void make_state();
    void adam_temporaries();
    void adafactor_temporaries();
    std::vector<std::size_t> trainable() const;

    Graph& graph_;
    const std::vector<Parameter>& parameters_;
    bool has_state_ = false;
};

}  // namespace plimsoll::training
