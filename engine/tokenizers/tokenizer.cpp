#include "engine/tokenizers/tokenizer.hpp"

#include <algorithm>

namespace plimsoll::tokenizers {

void Tokenizer::encode(std::string_view text, std::size_t max, Encoded& into) {
    into.ids.clear();
    into.ids.push_back(before_);
    for (const auto& piece : split_at(text, special_)) {
        if (piece.special != nullptr) {
            into.ids.push_back(piece.special->id);
        } else if (special_of_normalized_.empty()) {
            subwords_->append(piece.text, into.ids);
        } else {
            const auto normalized = subwords_->normalized(piece.text);
            for (const auto& one : split_at(normalized, special_of_normalized_))
                if (one.special != nullptr)
                    into.ids.push_back(one.special->id);
                else
                    subwords_->append_normalized(one.text, into.ids);
        }
    }
    into.tokens = into.ids.size() + 1;
    into.ids.resize(std::min(into.ids.size(), std::max<std::size_t>(max, 2) - 1));
    into.ids.push_back(behind_);
}

}  // namespace plimsoll::tokenizers
