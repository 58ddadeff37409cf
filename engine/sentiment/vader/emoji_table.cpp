#include "engine/sentiment/vader/emoji_table.hpp"

#include "engine/sentiment/vader/data.hpp"

#include <stdexcept>

namespace plimsoll::sentiment::vader {

const EmojiTable& EmojiTable::instance() {
    static const EmojiTable table;
    return table;
}

EmojiTable::EmojiTable() : pages_(1) {
    for (const Emoji& entry : emoji()) {
        if (entry.code_point >= kEnd || pages_.size() > 0xFF) {
            throw std::logic_error("The emoji list does not fit its table.");
        }
        std::uint8_t& page = page_of_[entry.code_point / kPageSize];
        if (page == 0) {
            page = static_cast<std::uint8_t>(pages_.size());
            pages_.emplace_back();
        }
        pages_[page][entry.code_point % kPageSize] = entry.description;
    }
}

}  // namespace plimsoll::sentiment::vader
