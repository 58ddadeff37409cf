#include "engine/tokenizers/tokenizer.hpp"

#include <algorithm>

namespace plimsoll::tokenizers {

void Tokenizer::encode(std::string_view text, std::size_t most, Encoded& into) {
    into.ids.clear();
    into.ids.push_back(before_);
    for (const auto& piece : split_at(text, special_)) {
        if (piece.special != nullptr) {
            into.ids.push_back(piece.special->id);
        } else {
            subwords_->append(piece.text, into.ids);
        }
    }
    into.tokens = into.ids.size() + 1;
    into.ids.resize(std::min(into.ids.size(), std::max<std::size_t>(most, 2) - 1));
    into.ids.push_back(behind_);
}

}  // namespace plimsoll::tokenizers
