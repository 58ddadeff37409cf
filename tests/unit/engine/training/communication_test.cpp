// What a run on several cards allocates beside the model's tensors, in the order in which it does.
#include "engine/training/tape/communication.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

constexpr int kLayers = 6;
constexpr std::int64_t kLayer = 8 << 20;  // elements

// The model of tests/pytorch/fsdp_buffers.py: two weights of half a layer in each layer and
// outside.
std::vector<Parameter> weights() {
    std::vector<Parameter> all;
    const auto add = [&](int layer) {
        all.push_back({.elements = kLayer / 2, .layer = layer, .trainable = true});
    };
    add(-1);
    for (int layer = 0; layer < kLayers; ++layer) {
        add(layer);
        add(layer);
    }
    add(-1);
    return all;
}

// Forward and backward of it, without its activations.
class Run {
  public:
    explicit Run(const TrainingSettings& settings)
        : weights_(weights()),
          graph_(settings, {}),
          communication_(
              make_communication(graph_, layout_of(settings), {.parameters = weights_})) {
        for (const auto& one : weights_) graph_.add_parameter(one);
    }

    // `trained`: the operation of the first weight needs a backward pass.
    void forward(bool trained) {
        graph_.set_phase(Phase::forward);
        communication_->begin_forward();
        if (trained) {
            graph_.node([](Graph&, Node&) {}, {Edge{Edge::Kind::parameter, 0, 0}}, Dtype::fp32,
                        Group::embedding);
        }
        for (int layer = 0; layer < kLayers; ++layer) communication_->enter(layer, false);
        communication_->enter(-1, false);
        communication_->end_forward();
    }
    void backward() {
        graph_.set_phase(Phase::backward);
        communication_->begin_backward();
        give(weights_.size() - 1);
        for (int layer = kLayers - 1; layer >= 0; --layer) {
            communication_->enter(layer, true);
            give(static_cast<std::size_t>(2 * layer + 2));
            give(static_cast<std::size_t>(2 * layer + 1));
        }
        communication_->enter(-1, true);
        give(0);
        communication_->end_backward();
    }

    // In layers of fp32 weights: the most in each phase, and what is left.
    struct Sums {
        double forward = 0, backward = 0, after = 0;
    };
    Sums sums() {
        const auto events = graph_.take_events();
        const auto buffers = graph_.take_buffers();
        Sums sums;
        for (const auto& event : events) {
            const auto bytes =
                static_cast<double>(buffers[static_cast<std::size_t>(event.buffer)].bytes);
            sums.after += (event.allocates ? bytes : -bytes) / (4.0 * kLayer);
            auto& max = event.phase == Phase::forward ? sums.forward : sums.backward;
            max = std::max(max, sums.after);
        }
        return sums;
    }

  private:
    void give(std::size_t index) {
        auto& p = graph_.parameter(static_cast<int>(index));
        p.gradient = graph_.allocate(p.elements * bytes_of(p.dtype), Group::gradients);
        communication_->arrived(p);
    }

    std::vector<Parameter> weights_;
    Graph graph_;
    std::unique_ptr<Communication> communication_;
};

Run::Sums sums_of(Sharding sharding, Precision precision = Precision::fp32, bool trained = true,
                  bool wide_sums = false) {
    TrainingSettings settings;
    settings.sharding = sharding;
    settings.cards = 8;
    settings.precision = precision;
    settings.wide_sums = wide_sums;
    Run run(settings);
    run.forward(trained);
    run.backward();
    return run.sums();
}

// As PyTorch 2.11 measured by tests/pytorch/fsdp_buffers.py: 4.000, 6.000 and 0.875.
TEST(Communication, FsdpAllocatesWhatPyTorchAllocates) {
    const auto fsdp = sums_of(Sharding::fsdp);
    EXPECT_NEAR(fsdp.forward, 4.0, 0.001);
    EXPECT_NEAR(fsdp.backward, 6.0, 0.001);
    EXPECT_NEAR(fsdp.after, 0.875, 0.001);
    // With --mixed: 2.000, 3.250 and 0.875.
    const auto mixed = sums_of(Sharding::fsdp, Precision::bf16_autocast);
    EXPECT_NEAR(mixed.forward, 2.0, 0.001);
    EXPECT_NEAR(mixed.backward, 3.25, 0.001);
    EXPECT_NEAR(mixed.after, 0.875, 0.001);
    // With --mixed --wide: 2.000, 3.750 and 0.875.
    const auto wide = sums_of(Sharding::fsdp, Precision::bf16_autocast, true, true);
    EXPECT_NEAR(wide.forward, 2.0, 0.001);
    EXPECT_NEAR(wide.backward, 3.75, 0.001);
    EXPECT_NEAR(wide.after, 0.875, 0.001);
}

// Seven layers' weights, of which each of eight cards has 0.875. Its gradients that lie in two
// parts are whole in both; stage 3's are always there, and not counted here.
TEST(Communication, ZeroKeepsGradientsOfItsPart) {
    EXPECT_NEAR(sums_of(Sharding::zero1).after, 1.5, 0.001);
    EXPECT_NEAR(sums_of(Sharding::zero2).after, 1.5, 0.001);
    EXPECT_NEAR(sums_of(Sharding::zero3).after, 0, 0.001);
}

TEST(Communication, ZeroSendsACopyOfItsBucket) {
    EXPECT_NEAR(sums_of(Sharding::zero1).backward, 14, 0.001);
    EXPECT_NEAR(sums_of(Sharding::zero2).backward, 14, 0.001);
}

// Buffers of 50 million elements bring five layers and two, which are copied out of them.
TEST(Communication, ZeroThreeGathersWeightsThroughBuffers) {
    EXPECT_NEAR(sums_of(Sharding::zero3).forward, 7 + 5 + 2, 0.001);
}

// Below the first trained weight, a layer goes when the next one runs: the second buffer finds
// room.
TEST(Communication, ZeroThreeReleasesWhatNoBackwardPassUses) {
    EXPECT_NEAR(sums_of(Sharding::zero3, Precision::fp32, false).forward, 5 + 5, 0.001);
}

}  // namespace
}  // namespace plimsoll::training
