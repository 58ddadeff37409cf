#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll::text {

// Skips a UTF-8 byte order mark at the beginning of a file read in pieces, and detects UTF-16,
// which spreadsheets often export.
class ByteOrderMark {
  public:
    // Returns the content in `bytes`. A prefix that may still become a mark is held back; `held`
    // receives bytes held back earlier that proved to be content, which precede the rest.
    // Errc::invalid_input for UTF-16.
    struct Content {
        std::string_view held;
        std::string_view rest;
    };
    Result<Content> feed(std::string_view bytes);

    // The bytes still held back at the end of the file.
    std::string_view finish();

    // Saves and restores the state; see RecordScanner.
    void save(std::string& out) const;
    bool load(std::string_view& rest);

  private:
    static constexpr std::string_view kMark = "\xEF\xBB\xBF";
    std::size_t matched_ = 0;
    bool decided_ = false;
};

}  // namespace plimsoll::text
