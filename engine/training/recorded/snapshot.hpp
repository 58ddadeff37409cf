#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// What PyTorch's allocator recorded: torch.cuda.memory._record_memory_history(), then
// _dump_snapshot().
namespace plimsoll::training {

// What ran when a block was asked for, as far as its stack tells. The backward pass has a thread
// without Python.
enum class Stage : std::uint8_t { unknown, setup, forward, backward, optimizer };
std::string_view to_string(Stage stage);

enum class Action : std::uint8_t { other, allocate, release, reserve, unreserve };

// Large recordings have tens of millions: 16 bytes each.
struct RecordedEvent {
    static constexpr std::uint32_t kEarlier = ~std::uint32_t{0};

    std::int64_t bytes : 48 = 0;  // as requested
    Action action : 8 = Action::other;
    Stage stage : 8 = Stage::unknown;
    std::uint32_t place = 0;         // in Recording::places
    std::uint32_t taken = kEarlier;  // of a release: the event that took the block
};

// Of the device with the most events.
struct Recording {
    std::vector<RecordedEvent> events;
    std::vector<std::string> places;  // "forward (modeling_llama.py:123)"; the first is unknown
    std::int64_t active_bytes = 0;    // at the end
    std::int64_t reserved_bytes = 0;
};

// Reads the pickle without running anything: it may hold numbers, texts, lists and dictionaries
// alone. Memory is bounded by the number of events. Errc::corrupt if it is no such pickle,
// Errc::too_large beyond kMaxEvents.
Result<Recording> read_snapshot(std::span<const std::byte> pickle);

}  // namespace plimsoll::training
