#pragma once

#include "engine/base/watch.hpp"
#include "engine/model_files/model.hpp"
#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/programs.hpp"
#include "engine/routines/attention.hpp"
#include "engine/transformer/activations.hpp"
#include "engine/transformer/device_weights.hpp"
#include "engine/tuning/gemm_plans.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace plimsoll::transformer {

// Concatenated token sequences, without padding.
struct Batch {
    std::vector<std::uint32_t> ids;
    std::vector<std::uint32_t> lengths;

    void add(std::span<const std::uint32_t> sequence) {
        ids.insert(ids.end(), sequence.begin(), sequence.end());
        lengths.push_back(static_cast<std::uint32_t>(sequence.size()));
    }
    void clear() {
        ids.clear();
        lengths.clear();
    }
};

// A model's output for a batch: one row per sequence, one column per label; of embeddings one per
// hidden number.
struct Scores {
    std::vector<float> logits;
    std::vector<float> probabilities;  // their softmax, also computed on the device
    // Of a model without labels instead: the mean of a sequence's tokens after the last layer, as a
    // vector of length 1.
    std::vector<float> embeddings;
};

// Whether the device supports products in this form.
bool can_use(const opencl::Capability& capability, routines::Form form);

// A published model on a device: BERT, DistilBERT or RoBERTa with a classification head, or an
// encoder without one, which makes embeddings. Its method, and so its form, is that of products in
// layers; attention is in bf16 with them; all else is in fp32.
// Its output for a sequence depends only on the sequence, the model and its method, to the last
// bit: not on the rest of the batch, its order, the plans of products or the number of threads.
// Used by the device's thread; must not outlive `programs`.
class Classifier {
  public:
    // Allocates everything that it will ever need on the device and records it in the ledger:
    // Errc::exhausted, with the bytes, if it does not fit. `tokens` is the largest batch.
    // Errc::unavailable: the method is not supported by this device, or its form by this model.
    static Result<std::unique_ptr<Classifier>> load(
        opencl::Programs& programs, opencl::Ledger& ledger, const opencl::Capability& capability,
        const tuning::Plans& plans, const model_files::Model& model, routines::Method method,
        std::size_t tokens, const Watch& watch);

    // What load() with these arguments records in the ledger.
    static std::uint64_t predicted_bytes(const opencl::Capability& capability,
                                         const tuning::Plans& plans,
                                         const model_files::Config& config, routines::Method method,
                                         std::size_t tokens);

    // Sequences have 2 to longest() tokens of the vocabulary, together at most capacity():
    // Errc::invalid_input otherwise. Waits for the device, and checks `watch` every few layers:
    // Errc::cancelled. `seen` gets the output of every layer but the last: `hidden` numbers per
    // token.
    using Seen = std::function<void(std::span<const float>)>;
    Result<void> run(const Batch& batch, const Watch& watch, Scores& scores,
                     const Seen& seen = nullptr);

    std::uint64_t held_bytes() const { return entry_.bytes(); }
    std::size_t capacity() const { return capacity_; }  // tokens
    std::uint32_t longest() const { return config_.longest(); }
    const model_files::Config& config() const { return config_; }
    routines::Form form() const { return form_of(methods_.layers); }

  private:
    Classifier(opencl::Programs& programs, opencl::Ledger::Entry entry, tuning::Plans plans,
               const Methods& methods, routines::Method attention, model_files::Config config,
               std::size_t capacity)
        : programs_(programs),
          entry_(std::move(entry)),
          plans_(std::move(plans)),
          methods_(methods),
          attention_(attention),
          flavour_(routines::flavour_for(programs.device().info())),
          config_(std::move(config)),
          capacity_(capacity) {}

    Result<void> check(const Batch& batch) const;
    Result<routines::SequenceLayout> upload(const Batch& batch);
    Result<void> embed(std::uint32_t tokens);
    Result<void> layer(const LayerWeights& weights, const routines::SequenceLayout& layout,
                       bool last);
    bool has_head() const { return !config_.labels.empty(); }
    Result<void> head(std::uint32_t sequences, Scores& scores);
    Result<void> pool(std::uint32_t sequences, Scores& scores);
    Result<void> choose_rows(const Rows& from, const Rows& to, std::uint32_t rows);
    Result<void> multiply(const Matrix& matrix, const Rows& a, const Rows& c, std::uint32_t m,
                          bool gelu = false, const opencl::Buffer* residual = nullptr,
                          const NormWeights* norm = nullptr);
    Result<void> narrow(const Rows& rows, std::uint32_t count);
    Result<void> show(std::uint32_t tokens, const Seen& seen);
    Result<void> wait(const Watch& watch);

    opencl::Programs& programs_;
    opencl::Ledger::Entry entry_;
    tuning::Plans plans_;
    Methods methods_;
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
