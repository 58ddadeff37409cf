#pragma once

#include "engine/base/format_number.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::terminal {

enum class Style { plain, bold, dim, good, bad, accent };

// Colours and bars on a terminal, plain lines on a pipe. NO_COLOR is respected.
class Terminal {
  public:
    Terminal();

    bool interactive() const { return interactive_; }
    std::string paint(Style style, std::string_view text) const;
    void line(std::string_view text) const;  // to standard output
    void note(std::string_view text) const;  // to standard error: never part of the output
    int width() const;

  private:
    bool interactive_ = false;
    bool colours_ = false;
};

// A progress bar on standard error, redrawn on a terminal; on a pipe, one line every ten percent.
class ProgressBar {
  public:
    ProgressBar(const Terminal& terminal, std::string title);
    void show(std::int64_t done, std::int64_t total);
    // If the counts do not show the progress.
    void show(std::int64_t done, std::int64_t total, double share);
    void finish();

  private:
    const Terminal& terminal_;
    std::string title_;
    std::chrono::steady_clock::time_point started_;
    int last_tenth_ = -1;
    bool drawn_ = false;
};

// Columns as wide as their widest cell, separated by two blanks; the first row is the header.
std::string format_table(const Terminal& terminal,
                         const std::vector<std::vector<std::string>>& rows);

std::string format_share(double share);                           // 43 %; 100 % only for 1
std::string format_duration(std::chrono::duration<double> time);  // 0.8 s, 12 s, 3 min 4 s

// The text without what a terminal obeys, such as a new title or a move of the cursor, or what
// reorders it: others' texts are printed. Tabs, ends of lines and our own styles stay.
std::string harmless(std::string_view text);

// The width of tables: that of the terminal; 0 on a pipe, where it is unlimited.
std::size_t table_width(const Terminal& terminal);

}  // namespace plimsoll::terminal
