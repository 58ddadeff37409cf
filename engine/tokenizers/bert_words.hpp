#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace plimsoll::tokenizers {

// How BERT prepares a text.
struct BertRules {
    bool lower_case = true;
    bool strip_accents = true;
    bool split_chinese = true;
    bool clean = true;  // drop control characters, every space is U+0020
};

// Cuts a text into the words that WordPiece divides further: normalized, at spaces, with every
// punctuation mark separate. The buffers are kept between texts.
class BertWords {
  public:
    explicit BertWords(BertRules rules) : rules_(rules) {}

    // Calls `take` with every word in order; it is valid during the call.
    void each(std::string_view text, const std::function<void(std::string_view)>& take);

  private:
    void add(char32_t character);
    void add_stripped(char32_t character);
    void add_lower(char32_t character);
    void finish_word();

    BertRules rules_;
    const std::function<void(std::string_view)>* take_ = nullptr;
    std::string word_;
};

}  // namespace plimsoll::tokenizers
