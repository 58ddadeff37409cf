#pragma once

#include "server/jobs/kind.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::jobs {

enum class ResultsFormat { jsonl, json, csv };

// Turns result rows (JSON lines, as tasks store them) into what a download asks for. A download is
// begin(), any number of rows(), end(); each piece depends on nothing before it, so that one can be
// made alone.
//  json  an array of the rows, without anything around it
//  csv   RFC 4180 with a header; texts that a spreadsheet would run as a formula get a leading ';
//        the column `kept` is written as one for each name in `kept`
class ResultsConverter {
  public:
    ResultsConverter(ResultsFormat format, std::span<const Column> columns,
                     std::vector<std::string> kept = {})
        : format_(format), columns_(columns), kept_(std::move(kept)) {}

    void begin(std::string& out) const;
    // Whole lines; `first` if no other rows come before them. Errc::corrupt if one is not an
    // object.
    Result<void> rows(std::string_view rows, bool first, std::string& out) const;
    void end(std::string& out) const;

  private:
    ResultsFormat format_;
    std::span<const Column> columns_;
    std::vector<std::string> kept_;
};

}  // namespace plimsoll::jobs
