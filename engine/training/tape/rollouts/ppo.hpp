#pragma once

#include "engine/training/tape/communication.hpp"
#include "engine/training/tape/families/models.hpp"
#include "engine/training/tape/optimizer.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::training {

// What a step leaves behind until some moment of the next one.
struct Kept {
    std::int64_t bytes = 0;
    std::size_t until = 0;  // the event before which it goes
};

// A model of the same layers that gives every token a number: PPO's value and reward models.
ModelShape scored(ModelShape policy);

// A step of TRL's PPOTrainer (1.12, the last release that has it): the policy answers, reference,
// value and reward models read the answers, then policy and value model learn together from one
// micro-batch after the other. All hold the hidden states of every layer. Autocast is around the
// learning alone.
class Ppo {
  public:
    // Where the parameters of the models besides the policy begin. Without a reference (-1), it is
    // the policy without its adapters.
    struct Models {
        int value = 0;
        int reward = 0;
        int reference = -1;
    };
    Ppo(Graph& graph, ModelShape policy, Models models);

    // Returns the scores of all answers, which stay until the next ones have been made.
    Kept step(OptimizerTape& optimizer, Communication& communication);

  private:
    struct Output {
        Var logits;
        std::vector<Var> states;  // of every layer
    };
    // `caches`: keys and values, too, as transformers does by default.
    Output run(const ModelShape& shape, int first, std::int64_t texts, bool caches,
               bool adapts = true);
    Var roll_out(Kept& kept);
    Output learn(Communication& communication, Output& held);
    Var loss(const Var& logits, const Var& values);
    void take_step(OptimizerTape& optimizer, Communication& communication);

    Graph& g_;
    ModelShape policy_, scored_;
    Models models_;
};

}  // namespace plimsoll::training
