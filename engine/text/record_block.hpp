#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Records packed for storage and transport: "PRB1", the index of the first record in the whole
// input (u64), the number of records (u32), then the records. A record is a flag byte (1: has an
// id, 2: is an error, 4: has a line, 8, 16, 32: has the first, second, third attribute), its line
// (u64) and its strings, each prefixed with its length (u32): [id] [attributes] [line] text, or the
// same with code message. Integers are little-endian. Blocks are compressed outside of this format.
// Most records of a file start on the line after their
// predecessor: only the others, and the first record of a block, store their line.
namespace plimsoll::text {

class RecordBlockWriter {
  public:
    explicit RecordBlockWriter(std::uint64_t first_index);

    void add(const Record& record);

    std::uint32_t count() const { return count_; }
    std::size_t bytes() const { return bytes_.size(); }

    // Saves and restores the state; see RecordScanner.
    void save(std::string& out) const;
    bool load(std::string_view& rest);

    // Returns the finished block and starts an empty one that continues the numbering.
    std::string take();

  private:
    void start();

    std::uint64_t first_index_;
    std::uint32_t count_ = 0;
    std::uint64_t next_line_ = 0;  // line a reader expects for the next record; 0: not from a file
    std::string bytes_;
};

// Views into the block, valid as long as its bytes.
struct RecordView {
    std::uint64_t index = 0;
    std::optional<std::string_view> custom_id;
    Attributes<std::optional<std::string_view>> attributes = {};
    std::string_view text;
    bool is_error = false;
    std::string_view error_code;
    std::string_view error_message;
    std::uint64_t line = 0;  // see Record
};

class RecordBlockReader {
  public:
    // `bytes` must outlive the reader.
    static Result<RecordBlockReader> open(std::string_view bytes);

    std::uint32_t count() const { return count_; }

    // The next record, nothing after the last; Errc::corrupt when the bytes are malformed.
    Result<std::optional<RecordView>> next();

  private:
    explicit RecordBlockReader(std::string_view bytes) : rest_(bytes) {}

    std::string_view rest_;
    std::uint64_t next_index_ = 0;
    std::uint64_t next_line_ = 0;
    std::uint32_t count_ = 0;
    std::uint32_t left_ = 0;
};

}  // namespace plimsoll::text
