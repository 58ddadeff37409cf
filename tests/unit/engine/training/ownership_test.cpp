// What a step leaves behind, for every family: buffers end with the operation that owns them.
#include "engine/training/models/presets.hpp"
#include "engine/training/tape/record.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

struct Training {
    std::string name;
    ModelShape shape;
    TrainingSettings settings;
};

// Every model of text or images, with few layers, and every way to train it.
std::vector<Training> trainings() {
    std::vector<Training> all;
    for (const auto& preset : presets()) {
        if (preset.shape.is_series()) continue;
        auto shape = preset.shape;
        shape.layers = std::min(shape.layers, 3);
        shape.decoder_layers = std::min(shape.decoder_layers, 3);
        TrainingSettings settings;
        settings.batch = 2;
        settings.sequence = shape.sample_length() > 0 ? shape.sample_length() : 64;
        settings.negatives = shape.family == Family::naics ? 2 : 0;
        settings.clip = true;
        for (const auto precision :
             {Precision::fp32, Precision::bf16_autocast, Precision::bf16, Precision::fp16})
            for (const bool checkpointing : {false, true})
                for (const auto quantization : {Quantization::none, Quantization::nf4_double}) {
                    auto t = settings;
                    t.precision = precision;
                    t.checkpointing = checkpointing;
                    t.quantization = quantization;
                    t.lora.rank = 8;
                    auto full = t;
                    full.lora.rank = 0;
                    auto fused = t, early = full;
                    fused.lora.dropout = 0;
                    fused.fused_adapters = true;
                    early.clip = false;
                    early.optimizer_in_backward = true;
                    for (const auto& one : {t, full, fused, early})
                        if (check_settings(shape, one)) all.push_back({shape.name, shape, one});
                }
    }
    return all;
}

std::string described(const Training& run) {
    const auto& t = run.settings;
    return run.name + ", precision " + std::to_string(static_cast<int>(t.precision)) +
           (t.checkpointing ? ", checkpointing" : "") + (t.lora.rank > 0 ? ", adapters" : "") +
           (t.quantization != Quantization::none ? ", quantized" : "") +
           (t.fused_adapters ? ", fused" : "") + (t.optimizer_in_backward ? ", updated early" : "");
}

class Memory {
  public:
    explicit Memory(const Tape& tape) : tape_(tape) { replay(tape.setup); }

    // The most bytes alive during these events.
    std::int64_t replay(const std::vector<Event>& events) {
        auto max = alive_;
        for (const auto& e : events) {
            const auto& buffer = tape_.buffers[static_cast<std::size_t>(e.buffer)];
            alive_ += e.allocates ? buffer.bytes : -buffer.bytes;
            max = std::max(max, alive_);
        }
        return max;
    }

  private:
    const Tape& tape_;
    std::int64_t alive_ = 0;
};

std::int64_t peak_alive(const Tape& tape) {
    Memory memory(tape);
    const auto first = memory.replay(tape.first);
    return std::max(first, memory.replay(tape.later));
}

TEST(Ownership, OnlyStateAndWorkspacesOutliveAStep) {
    for (const auto& run : trainings()) {
        const auto tape = record_tape(run.shape, run.settings, {});
        std::vector<int> counts(tape.buffers.size());
        for (const auto& e : tape.first)
            counts[static_cast<std::size_t>(e.buffer)] += e.allocates ? 1 : -1;
        for (const auto& e : tape.first) {
            if (!e.allocates || counts[static_cast<std::size_t>(e.buffer)] == 0) continue;
            const auto group = tape.buffers[static_cast<std::size_t>(e.buffer)].group;
            EXPECT_TRUE(group == Group::optimizer || group == Group::workspace)
                << described(run) << ": " << to_string(group) << " made in layer " << e.layer
                << ", " << to_string(e.phase);
        }
    }
}

TEST(Ownership, ASecondStepNeedsNoMoreThanTheFirstWithTheOptimizersState) {
    for (const auto& run : trainings()) {
        const auto tape = record_tape(run.shape, run.settings, {});
        std::int64_t state = 0;
        for (const auto& buffer : tape.buffers)
            if (buffer.group == Group::optimizer || buffer.group == Group::workspace)
                state += buffer.bytes;
        constexpr std::int64_t loss = 4;  // of the step before
        Memory memory(tape);
        const auto first = memory.replay(tape.first);
        const auto second = memory.replay(tape.later);
        EXPECT_LE(second, first + state + loss) << described(run);
        EXPECT_EQ(memory.replay(tape.later), second) << described(run);
    }
}

TEST(Ownership, FewerAdaptersNeverNeedMoreMemory) {
    for (const auto& run : trainings()) {
        if (run.settings.lora.rank == 0 || !run.shape.has_rms_norm()) continue;
        auto all = run.settings;
        all.lora.targets = Lora::Targets::all_linear;
        EXPECT_LE(peak_alive(record_tape(run.shape, run.settings, {})),
                  peak_alive(record_tape(run.shape, all, {})))
            << described(run);
    }
}

}  // namespace
}  // namespace plimsoll::training
