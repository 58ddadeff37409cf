#include "server/kinds/sentiment/run/excerpt.hpp"

#include "engine/text/utf8.hpp"

#include <cstddef>

namespace plimsoll::jobs::sentiment {

std::string_view excerpt(std::string_view text) {
    constexpr std::size_t kCharacters = 280;
    if (text.size() <= kCharacters) return text;
    std::size_t end = 0;
    for (std::size_t n = 0; n < kCharacters && end < text.size(); ++n) {
        end += text::decode_utf8(text, end).length;
    }
    return text.substr(0, end);
}

}  // namespace plimsoll::jobs::sentiment
