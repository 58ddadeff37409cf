#pragma once

#include "engine/training/estimate/estimate.hpp"
#include "engine/training/recorded/snapshot.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::training {

// What memory is for, as far as a recording tells: by what ran when it was taken and given back.
enum class MemoryPart : std::uint8_t {
    state,  // weights, the optimizer's state, and all that was there before the recording
    gradients,
    activations,  // taken in forward, kept for backward
    temporary,
};
inline constexpr int kMemoryParts = 4;
std::string_view to_string(MemoryPart part);

struct Allocation {
    std::int64_t bytes = 0;
    Stage stage = Stage::unknown;
    std::string where;
};

using PartBytes = std::array<std::int64_t, kMemoryParts>;

// A run's memory, recorded or predicted. Bytes.
struct RunMemory {
    std::int64_t peak_allocated = 0;
    std::int64_t peak_reserved = 0;
    PartBytes parts{};             // of peak_allocated
    Stage stage = Stage::unknown;  // of peak_allocated
    // Of the last whole forward and backward pass, those of a MiB or more, in order. Empty if the
    // recording has no stacks.
    std::vector<Allocation> pass = {};
    // From the beginning of that pass to that of the next: what was allocated at most while that
    // many of `pass` had been taken; one more than `pass`.
    std::vector<PartBytes> step = {};
};

// The highest moment of a column of a drawing that as many columns cut evenly.
struct HighMoment {
    std::size_t from = 0;  // where its column begins, as a place in `step`
    PartBytes held{};
};
// `length`: entries of `step` that the drawing has room for; at most `columns` of them are told.
std::vector<HighMoment> thinned(const std::vector<PartBytes>& step, std::size_t length,
                                std::size_t columns);

RunMemory recorded_memory(const Recording& recording);
// The settings have passed check_settings().
RunMemory predicted_memory(const ModelShape& shape, const TrainingSettings& settings,
                           const TapeDevice& device, const Estimate& estimate);

// The first allocation that one of two passes has alone, if it weighs anything.
struct Parting {
    std::size_t equal = 0;                          // allocations before it
    std::size_t at_recorded = 0, at_predicted = 0;  // in `pass`
    std::optional<Allocation> recorded, predicted;
};
std::optional<Parting> parting_of(const RunMemory& recorded, const RunMemory& predicted);

}  // namespace plimsoll::training
