#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

// Terminal columns, counted as code points: close enough for the texts shown here.
std::size_t text_columns(std::string_view text);

// A text as lines of at most `width` columns, broken between words; a longer word gets its own
// line. Width 0: one line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// A table, row by row, each as one line or more; the first row is the header. If the table is wider
// than `width` (0: unlimited), its widest cells are wrapped; if that is not enough, every row
// becomes a list of "HEADER  cell" lines, and the header row is omitted.
std::vector<std::vector<std::string>> table_lines(const std::vector<std::vector<std::string>>& rows,
                                                  std::size_t width);

// The rows of a table whose rows are one line each: columns are omitted until the rest fits in
// `width`, the first of `expendable` first; then the longest cells are cut ("a long na…").
std::vector<std::vector<std::string>> one_line_rows(std::vector<std::vector<std::string>> rows,
                                                    std::size_t width,
                                                    const std::vector<std::string>& expendable);

// All lines of that table, each with a line end.
std::string table_text(const std::vector<std::vector<std::string>>& rows, std::size_t width);

}  // namespace plimsoll
