#pragma once

#include <cstdint>
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

}  // namespace plimsoll::transformer
