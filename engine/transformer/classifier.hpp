#pragma once

#include "engine/base/watch.hpp"
#include "engine/model_files/model.hpp"
#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/programs.hpp"
#include "engine/routines/attention.hpp"
#include "engine/transformer/batch.hpp"
#include "engine/transformer/device_weights.hpp"
#include "engine/tuning/gemm_plans.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace plimsoll::transformer {

// A published model on a device, in fp32: BERT, DistilBERT or RoBERTa with a head for
// classification.
//
// What it says of a sequence depends on the sequence and the model alone, to the last bit: not on
// what else is in the batch, on its order, on the plans of products or on the number of threads.
//
// Used by the device's thread; lives no longer than `programs`.
class Classifier {
  public:
    // Allocates all that it will ever need on the device and enters it into the ledger:
    // Errc::exhausted, with the bytes, when it does not fit. `tokens` is the largest batch.
    static Result<std::unique_ptr<Classifier>> load(opencl::Programs& programs,
                                                    opencl::Ledger& ledger,
                                                    const opencl::Capability& capability,
                                                    const tuning::Plans& plans,
                                                    const model_files::Model& model,
                                                    std::size_t tokens, const Watch& watch);

    // What load() with these arguments enters into the ledger.
    static std::uint64_t predicted_bytes(const opencl::Capability& capability,
                                         const tuning::Plans& plans,
                                         const model_files::Config& config, std::size_t tokens);

    // Sequences have 2 to longest() tokens of the vocabulary,
    // together at most capacity(): Errc::invalid_input otherwise. Waits for the device, which is
    // asked every few layers whether it is done: then `watch` is looked at. Errc::cancelled.
    Result<void> run(const Batch& batch, const Watch& watch, Scores& scores);

    std::uint64_t held_bytes() const { return entry_.bytes(); }
    std::size_t capacity() const { return capacity_; }  // tokens
    std::uint32_t longest() const { return config_.longest(); }
    const model_files::Config& config() const { return config_; }

  private:
    // Numbers that layers pass on, each `capacity` rows long.
    struct Activations {
        opencl::Buffer ids, positions, offsets, walk, first_tokens;
        opencl::Buffer hidden, query_key_value, attended, mixed, inner, chosen, chosen_attended;
        opencl::Buffer logits, probabilities;
    };

    Classifier(opencl::Programs& programs, opencl::Ledger::Entry entry, tuning::Plans plans,
               routines::Method method, routines::Method attention, model_files::Config config,
               std::size_t capacity)
        : programs_(programs),
          entry_(std::move(entry)),
          plans_(std::move(plans)),
          method_(method),
          attention_(attention),
          flavour_(routines::flavour_for(programs.device().info())),
          config_(std::move(config)),
          capacity_(capacity) {}

    Result<void> allocate();
    Result<void> check(const Batch& batch) const;
    Result<routines::SequenceLayout> upload(const Batch& batch);
    Result<void> embed(std::uint32_t tokens);
    Result<void> layer(const LayerWeights& weights, const routines::SequenceLayout& layout,
                       bool last);
    Result<void> head(std::uint32_t sequences, Scores& scores);
    Result<void> multiply(const Matrix& matrix, const opencl::Buffer& a, const opencl::Buffer& c,
                          std::uint32_t m, bool gelu = false,
                          const opencl::Buffer* residual = nullptr,
                          const NormWeights* norm = nullptr);
    Result<void> wait(const Watch& watch);

    opencl::Programs& programs_;
    opencl::Ledger::Entry entry_;
    tuning::Plans plans_;
    routines::Method method_;
    routines::Method attention_;
    routines::Flavour flavour_;
    model_files::Config config_;
    std::size_t capacity_;
    DeviceWeights weights_;
    Activations on_device_;
    std::vector<std::uint32_t> positions_;
    std::uint32_t built_for_ = 0;         // powers of two: lengths for which all kernels have run
    double seconds_per_token_layer_ = 0;  // of the last batch
};

}  // namespace plimsoll::transformer
