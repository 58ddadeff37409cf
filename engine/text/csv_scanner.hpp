#pragma once

#include "engine/text/record_scanner.hpp"

namespace plimsoll::text {

// CSV as in RFC 4180 with a header line: quotes doubled inside quotes, line breaks inside quotes,
// lines ending in LF, CRLF or CR. Fields are separated by commas, semicolons, tabs or pipes: the
// one that a first line such as sep=; names, as spreadsheets write it, or whichever occurs most
// often outside quotes in the header line (a tie goes to commas). Records are handed out separated
// by commas, whatever the file has. A quote inside an unquoted field stands for itself; anything
// but a delimiter or a line end after a closing quote is an error of the record, and so is a number
// of fields that differs from the header's (most often an unquoted delimiter).
class CsvScanner final : public RecordScanner {
  public:
    explicit CsvScanner(ReaderLimits limits) : RecordScanner(limits) {}

    Result<void> finish(const RawSink& sink) override;
    const std::vector<std::string>& header() const override { return header_; }
    char delimiter() const override { return delimiter_; }
    void save(std::string& out) const override;
    bool load(std::string_view& rest) override;

  private:
    enum class State : std::uint8_t { field_start, unquoted, quoted, quote_in_quoted };

    Result<void> take(std::string_view bytes, const RawSink& sink) override;
    Result<void> end_record(std::string_view part, const RawSink& sink);
    Result<void> take_header(std::string_view record);
    void report(std::string_view record, const RawSink& sink);
    void start_record();
    // Until the header has been read, any of them may be the delimiter.
    bool ends_field(char c) const;
    std::size_t skip_unquoted(std::string_view bytes, std::size_t at) const;

    std::vector<std::string> header_;  // empty until it has been read
    State state_ = State::field_start;
    bool after_cr_ = false;
    bool blank_ = true;
    bool bad_quote_ = false;
    std::uint64_t line_ = 1;
    std::uint64_t record_line_ = 1;
    std::uint64_t delimiters_ = 0;  // of the record
    char delimiter_ = ',';
    char named_ = '\0';  // by the first line
    std::string in_commas_;
};

}  // namespace plimsoll::text
