#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record.hpp"
#include "engine/text/record_layout.hpp"
#include "engine/text/record_scanner.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Rules for records of every file format.

namespace plimsoll::text {

// "Line 7: <what>", `message` begins in lower case.
RawRecord failed_raw_record(std::uint64_t line, std::string_view code, std::string_view message);

// The rule that a record's ID or text breaks, if any (UTF-8, length of the ID).
std::optional<RecordError> broken_rule(const Record& record, const ReaderLimits& limits);

struct ReadRecord {
    Record record;
    std::uint64_t line = 1;  // where it starts in the file, from 1
};

using RecordSink = std::function<void(ReadRecord)>;

// Reads texts with their IDs from a file that arrives in pieces of any size; the result does not
// depend on the pieces. A record that breaks a rule becomes an error in its place (its message
// names the line), and reading continues after it. Memory: one record.
class RecordReader {
  public:
    explicit RecordReader(RecordFormat format, RecordColumns columns = {},
                          ReaderLimits limits = {});

    // Fails when the file as a whole cannot be read (missing column); make no further calls then.
    Result<void> feed(std::string_view bytes, const RecordSink& sink);
    // After the last piece.
    Result<void> finish(const RecordSink& sink);

    // The column names of a CSV file, once its header has been read.
    const std::vector<std::string>& header() const { return scanner_->header(); }
    // The separator; 0 for JSON lines.
    char delimiter() const { return scanner_->delimiter(); }

  private:
    Result<void> find_layout();
    void take(const RawRecord& raw, const RecordSink& sink);

    RecordFormat format_;
    RecordColumns columns_;
    ReaderLimits limits_;
    std::unique_ptr<RecordScanner> scanner_;
    std::optional<RecordLayout> layout_;
    std::optional<Error> broken_;
};

}  // namespace plimsoll::text
