#pragma once

#include "engine/text/byte_order_mark.hpp"
#include "engine/text/record_reader.hpp"

#include <optional>
#include <vector>

namespace plimsoll::text {

// CSV as in RFC 4180 with a header line: commas, quotes doubled inside quotes, line breaks inside
// quotes, lines ending in LF, CRLF or CR. Blank lines are skipped. A quote inside an unquoted field
// stands for itself; anything but a comma or a line end after a closing quote is an error of the
// record, and so is another number of fields than the header's (most often a comma that should have
// been quoted).
class CsvReader final : public RecordReader {
  public:
    CsvReader(RecordColumns columns, ReaderLimits limits);

    Result<void> feed(std::string_view bytes, const RecordSink& sink) override;
    Result<void> finish(const RecordSink& sink) override;

    // The column names, once the header was read.
    const std::vector<std::string>& header() const { return header_; }

  private:
    enum class State { field_start, unquoted, quoted, quote_in_quoted };

    Result<void> take(std::string_view bytes, const RecordSink& sink);
    void append(std::string_view part);
    void end_field();
    Result<void> end_record(const RecordSink& sink);
    Result<void> take_header();
    Result<std::size_t> find_column(std::string_view name) const;
    ReadRecord take_record();
    void start_record();

    RecordColumns columns_;
    ReaderLimits limits_;
    ByteOrderMark mark_;

    std::vector<std::string> header_;
    std::size_t text_column_ = 0;
    std::optional<std::size_t> id_column_;

    State state_ = State::field_start;
    bool after_cr_ = false;
    std::uint64_t line_ = 1;
    std::uint64_t record_line_ = 1;
    std::vector<std::string> fields_;  // content only of the columns that are wanted
    std::string field_;
    std::size_t field_count_ = 0;
    std::size_t record_bytes_ = 0;
    bool blank_ = true;
    bool bad_quote_ = false;
};

}  // namespace plimsoll::text
