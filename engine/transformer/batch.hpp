#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll::transformer {

// Token sequences one after the other, without padding.
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

// What a model says of a batch: a row for each sequence, a column for each label.
struct Scores {
    std::vector<float> logits;
    std::vector<float> probabilities;  // their softmax, computed on the device like all the rest
};

}  // namespace plimsoll::transformer
