#pragma once

#include "server/jobs/kind.hpp"

#include <span>
#include <string>
#include <string_view>

namespace plimsoll::jobs {

enum class ResultsFormat { jsonl, json, csv };

// Turns result rows (JSON lines, as tasks store them) into what a download asks for, piece by
// piece: memory stays within one piece and one line.
//  json  an array of the rows, without anything around it
//  csv   RFC 4180 with a header; texts that a spreadsheet would run as a formula get a leading '
class ResultsConverter {
  public:
    ResultsConverter(ResultsFormat format, std::span<const Column> columns)
        : format_(format), columns_(columns) {}

    // `rows` may end in the middle of a line. Errc::corrupt when a line is not an object.
    Result<void> feed(std::string_view rows, std::string& out);
    // Call once, after the last piece: also for no rows at all.
    Result<void> finish(std::string& out);

  private:
    Result<void> line(std::string_view row, std::string& out);
    void begin(std::string& out);

    ResultsFormat format_;
    std::span<const Column> columns_;
    std::string partial_line_;
    bool begun_ = false;
    bool any_row_ = false;
};

}  // namespace plimsoll::jobs
