#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll::text {

// Skips a UTF-8 byte order mark at the beginning of a file that comes in pieces, and recognises
// UTF-16, which spreadsheets like to export.
class ByteOrderMark {
  public:
    // What of `bytes` is content. A beginning that may still become a mark is held back; `held`
    // gets what turned out to be content after all and stands before the rest. Errc::invalid_input
    // for UTF-16.
    struct Content {
        std::string_view held;
        std::string_view rest;
    };
    Result<Content> feed(std::string_view bytes);

    // What was held back until the end of the file.
    std::string_view finish();

    // So that another one may go on where this one stands; see RecordScanner.
    void save(std::string& out) const;
    bool load(std::string_view& rest);

  private:
    static constexpr std::string_view kMark = "\xEF\xBB\xBF";
    std::size_t matched_ = 0;
    bool decided_ = false;
};

}  // namespace plimsoll::text
