#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Records packed for storage and transport: "PRB1", the index of the first record in the whole
// input (u64), the number of records (u32), then the records. A record is a flag byte (1: has an
// id, 2: is an error, 4: has a line), its line (u64) and its strings, each led by its length (u32):
// [id] [line] text, or [id] [line] code message. Integers are little-endian. Blocks are compressed
// outside of this format. Of records in a file, most start on the line after the one before: only
// those that do not, and the first ones of blocks, tell theirs.
namespace plimsoll::text {

class RecordBlockWriter {
  public:
    explicit RecordBlockWriter(std::uint64_t first_index);

    void add(const Record& record);

    std::uint32_t count() const { return count_; }
    std::size_t bytes() const { return bytes_.size(); }

    // So that another one may go on where this one stands; see RecordScanner.
    void save(std::string& out) const;
    bool load(std::string_view& rest);

    // The finished block; the writer then starts an empty one that continues the numbering.
    std::string take();

  private:
    void start();

    std::uint64_t first_index_;
    std::uint32_t count_ = 0;
    std::uint64_t next_line_ = 0;  // where a reader takes the next record to start; 0: in no file
    std::string bytes_;
};

// Views into the block: they live as long as its bytes.
struct RecordView {
    std::uint64_t index = 0;
    std::optional<std::string_view> custom_id;
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

    // The next record, nothing after the last; Errc::corrupt when the bytes do not add up.
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
