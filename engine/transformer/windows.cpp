#include "engine/transformer/windows.hpp"

#include "engine/text/sentences.hpp"

#include <utility>

namespace plimsoll::transformer {
namespace {

// Around every text.
constexpr std::size_t kSpecialTokens = 2;

// Where the code point in the middle begins, else the next one; 0 if there is only one.
std::size_t middle_of(std::string_view text) {
    const auto begins = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    };
    auto middle = text.size() / 2;
    while (middle > 0 && !begins(middle)) --middle;
    if (middle != 0) return middle;
    for (middle = 1; middle < text.size(); ++middle) {
        if (begins(middle)) return middle;
    }
    return 0;
}

class Windows {
  public:
    Windows(std::size_t most, tokenizers::Tokenizer& tokenizer)
        : most_(most), tokenizer_(tokenizer) {}

    void add_sentence(std::string_view sentence) {
        if (tokens_of(sentence) <= most_) return add(sentence);
        for (const auto word : text::words_of(sentence)) {
            if (tokens_of(word) <= most_) {
                add(word);
            } else {
                close();
                put(word);
            }
        }
    }

    std::vector<std::string_view> finish() {
        close();
        if (windows_.empty()) windows_.emplace_back();
        return std::move(windows_);
    }

  private:
    std::size_t tokens_of(std::string_view part) {
        tokenizer_.encode(part, most_, encoded_);
        return encoded_.tokens;
    }

    // Parts lie side by side in the text.
    void add(std::string_view part) {
        const auto own = tokens_of(part) - kSpecialTokens;
        if (tokens_ + own > most_ - kSpecialTokens) close();
        open_ = open_.empty() ? part : std::string_view(open_.data(), open_.size() + part.size());
        tokens_ += own;
    }

    void close() {
        put(open_);
        open_ = {};
        tokens_ = 0;
    }

    // Parts together can have more tokens than one by one, so that the whole is counted.
    void put(std::string_view window) {
        window = text::trimmed(window);
        const auto tokens = tokens_of(window);
        if (tokens <= kSpecialTokens) return;  // white space and characters that count for nothing
        const auto middle = middle_of(window);
        if (middle == 0 || tokens <= most_) {
            windows_.push_back(window);
            return;
        }
        put(window.substr(0, middle));
        put(window.substr(middle));
    }

    std::size_t most_;
    tokenizers::Tokenizer& tokenizer_;
    tokenizers::Encoded encoded_;
    std::string_view open_;   // the window that is being filled
    std::size_t tokens_ = 0;  // of it
    std::vector<std::string_view> windows_;
};

}  // namespace

std::vector<std::string_view> windows_of(std::string_view text, std::size_t most,
                                         tokenizers::Tokenizer& tokenizer) {
    Windows windows(most, tokenizer);
    for (const auto sentence : text::sentences_of(text)) windows.add_sentence(sentence);
    return windows.finish();
}

}  // namespace plimsoll::transformer
