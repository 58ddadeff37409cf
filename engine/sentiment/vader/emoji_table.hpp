#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace plimsoll::sentiment::vader {

// Descriptions of emoji by code point, in pages of 64.
class EmojiTable {
  public:
    static const EmojiTable& instance();

    // Empty when the code point has no description.
    std::string_view describe(char32_t code_point) const {
        if (code_point >= kEnd) return {};
        return pages_[page_of_[code_point / kPageSize]][code_point % kPageSize];
    }

  private:
    static constexpr char32_t kEnd = 0x20000;
    static constexpr std::size_t kPageSize = 64;
    using Page = std::array<std::string_view, kPageSize>;

    EmojiTable();

    std::array<std::uint8_t, kEnd / kPageSize> page_of_{};  // 0 is the empty page
    std::vector<Page> pages_;
};

}  // namespace plimsoll::sentiment::vader
