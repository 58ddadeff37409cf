#pragma once

#include "server/jobs/kind.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs {

// `kept`: names of the members of the column `kept`, each of which becomes a column in its place.
void append_csv_header(std::string& out, std::span<const Column> columns,
                       std::span<const std::string> kept = {});

// One line with CRLF. Members that `row` lacks, and nulls, are empty cells; arrays and objects are
// written as JSON. A text that begins with = + - @ tab or CR gets a leading ' so that no
// spreadsheet runs it as a formula; numbers stay numbers.
void append_csv_row(std::string& out, std::span<const Column> columns,
                    std::span<const std::string> kept, const nlohmann::json& row);

// Replaces Contract::failed_rows if the task's input has been deleted, such as a dataset after the
// job ended: JSON lines with the items' index, the error_code "input_deleted" and an error that
// names the reason; null in all other columns.
std::string rows_without_input(std::span<const Column> columns, std::int64_t first_item,
                               std::int64_t items, std::string_view reason);

// A row of Contract::failed_rows for a kind that needs no further columns: the error_code
// "quarantined" and the reason, null in all other columns.
nlohmann::json failed_row(std::span<const Column> columns, std::string_view reason);

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
