#pragma once

#include "engine/text/byte_order_mark.hpp"
#include "engine/text/record_reader.hpp"

namespace plimsoll::text {

// JSON lines: a string a line, or an object with the text and, optionally, an id (a string or an
// integer). Other members are ignored, blank lines skipped.
class JsonLinesReader final : public RecordReader {
  public:
    JsonLinesReader(RecordColumns columns, ReaderLimits limits);

    Result<void> feed(std::string_view bytes, const RecordSink& sink) override;
    Result<void> finish(const RecordSink& sink) override;

  private:
    void take(std::string_view bytes, const RecordSink& sink);
    void hold(std::string_view part);
    void end_line(std::string_view line, const RecordSink& sink);
    ReadRecord parse(std::string_view line) const;

    RecordColumns columns_;
    ReaderLimits limits_;
    ByteOrderMark mark_;
    std::string partial_;  // a line that began in an earlier piece
    bool overlong_ = false;
    std::uint64_t line_ = 1;
};

}  // namespace plimsoll::text
