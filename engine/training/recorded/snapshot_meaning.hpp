#pragma once

#include "engine/training/recorded/snapshot.hpp"

#include <random>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plimsoll::training {

// A value of a snapshot, as far as it matters. What is complete becomes small at once: a dictionary
// becomes the event, the frame or the segment that it describes, a list of frames a place.
struct SnapshotValue {
    enum class Kind : std::uint8_t {
        none,
        number,
        text,
        dictionary,  // empty yet; bits: its slot in the memo, from 1
        list,        // likewise
        frame,
        place,
        event,
        trace,  // of one device
        snapshot
    };
    Kind kind = Kind::none;
    std::uint64_t bits = 0;  // the number, or which of its kind
};

// Which event took the blocks that are held, by their addresses. A block costs no memory of its own
// (open addressing).
class HeldBlocks {
  public:
    void take(std::uint64_t address, std::uint32_t event);
    // RecordedEvent::kEarlier if none did.
    std::uint32_t give_back(std::uint64_t address);

  private:
    struct Block {
        std::uint64_t address = 0;
        std::uint32_t event = RecordedEvent::kEarlier;  // of an empty place
    };
    std::size_t home(std::uint64_t address) const;
    std::size_t find(std::uint64_t address) const;  // its place, or the empty one for it
    void grow();

    // A file that was made to slow the reader down cannot know where its addresses fall.
    std::uint64_t factor_ =
        std::uint64_t{std::random_device()()} << 32 | std::random_device()() | 1;
    int bits_ = 12;
    std::vector<Block> blocks_ = std::vector<Block>(std::size_t{1} << bits_);
    std::size_t count_ = 0;
};

// What the dictionaries and lists of a snapshot mean. Texts lie in the file.
class SnapshotMeaning {
  public:
    using Value = SnapshotValue;
    using Kind = Value::Kind;

    SnapshotMeaning();
    void reserve(std::size_t events);

    std::uint32_t intern(std::string_view text);
    bool is_too_large() const;
    // Keys and values in turn.
    Value dictionary(std::span<const Value> items);
    // `before`: what the list became of earlier items.
    Value list(Value before, std::span<const Value> items);
    Result<Recording> finish(Value root);

  private:
    struct Frame {
        std::uint32_t name = 0, file = 0;  // texts
        std::int64_t line = 0;
        bool python = false, forward = false, backward = false, optimizer = false;
    };
    struct Trace {
        std::size_t begin = 0, end = 0;  // events
    };
    struct Segments {
        std::int64_t active = 0, reserved = 0;
    };

    std::int64_t bytes(Value value);
    std::uint32_t text(Value value) const;
    Value event(const Value* of);
    Value frame(const Value* of);
    Value place(std::span<const Value> frames);
    Value longest(Value before, std::span<const Value> traces);
    Stage stage_of(std::span<const Value> frames) const;
    std::string told(std::span<const Value> frames) const;

    std::vector<std::string_view> texts_;
    std::unordered_map<std::string_view, std::uint32_t> numbers_;  // of texts
    std::uint32_t nothing_ = 0;                                    // the empty text
    std::vector<Frame> frames_;
    std::unordered_map<std::string, std::uint32_t> places_;
    std::vector<Stage> stages_;  // of places
    std::vector<Trace> traces_;
    std::unordered_map<std::uint64_t, Segments> segments_;  // by device
    std::uint64_t device_ = 0;
    std::uint64_t total_ = 0;  // bytes
    HeldBlocks held_;
    Recording recording_;
};

}  // namespace plimsoll::training
