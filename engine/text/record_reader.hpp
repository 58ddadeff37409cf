#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace plimsoll::text {

struct ReadRecord {
    Record record;
    std::uint64_t line = 1;  // where it starts in the file, from 1
};

using RecordSink = std::function<void(ReadRecord)>;

// Which columns of a CSV file, or members of a JSON object, hold what.
struct RecordColumns {
    std::string text;       // empty: "text", or the only column there is
    std::string custom_id;  // empty: "custom_id" where there is one
};

struct ReaderLimits {
    std::size_t record_bytes = 1 << 20;  // a longer record is an error; also what memory is kept
    std::size_t custom_id_characters = 64;
};

// Reads records from bytes that come in pieces of any size; where they are cut changes nothing.
// A record that breaks a rule comes out as an error in its place (its message names the line), and
// reading goes on behind it. Memory: one record.
class RecordReader {
  public:
    virtual ~RecordReader() = default;

    // Fails when the file as a whole cannot be read (no such column, UTF-16): then call nothing
    // more.
    virtual Result<void> feed(std::string_view bytes, const RecordSink& sink) = 0;
    // After the last piece.
    virtual Result<void> finish(const RecordSink& sink) = 0;
};

enum class RecordFormat { csv, json_lines };

std::unique_ptr<RecordReader> make_record_reader(RecordFormat format, RecordColumns columns = {},
                                                 ReaderLimits limits = {});

}  // namespace plimsoll::text
