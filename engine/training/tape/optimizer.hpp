#pragma once

#include "engine/training/models/parameters.hpp"
#include "engine/training/tape/graph.hpp"
#include "engine/training/tape/layout.hpp"

#include <vector>

namespace plimsoll::training {

// The optimizer's part of a step: state allocated in the first step, temporaries in every step.
class OptimizerTape {
  public:
    OptimizerTape(Graph& graph, const std::vector<Parameter>& parameters)
        : graph_(graph), parameters_(parameters), layout_(layout_of(graph.settings())) {}

    void clip();     // torch.nn.utils.clip_grad_norm_
    void unscale();  // GradScaler.unscale_, once per step, a few bytes
    void step();
    // The update of one parameter whose gradient is complete, which then goes.
    void update(GraphParameter& parameter);
    void zero_gradients();

  private:
    // A tensor that the optimizer updates: a parameter, this card's shard of one, or ZeRO's one
    // flat shard of all.
    struct Piece {
        std::int64_t elements = 0;
        std::int64_t rows = 0;
        bool matrix = false;
        std::int64_t width = 4;  // bytes of an element
    };
    Piece piece_of(std::size_t parameter) const;
    std::vector<Piece> pieces() const;
    void make_state(const Piece& piece);
    void make_bitsandbytes_state(std::int64_t elements);
    void adam_temporaries(const std::vector<Piece>& pieces);
    void adafactor_temporaries(const std::vector<Piece>& pieces);
    void run(const std::vector<Piece>& pieces);
    std::size_t trained() const;  // parameters

    Graph& graph_;
    const std::vector<Parameter>& parameters_;
    Layout layout_;
    bool has_state_ = false;
};

}  // namespace plimsoll::training
