#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>

namespace plimsoll::waves {

// Whether the bytes are text in UTF-8.
bool is_utf8(std::string_view bytes);

struct InUtf8 {
    std::string text;
    std::string encoding;  // that it had
};

// A price file that is not UTF-8: spreadsheets save in Windows-1252, or in what China, Taiwan,
// Japan and Korea had before. Its encoding is the one in which its first lines name the most
// columns. Fails when it is in none of them.
Result<InUtf8> in_utf8(std::string_view bytes);

}  // namespace plimsoll::waves
