#include "engine/transformer/windows.hpp"

#include "engine/text/sentences.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::transformer {
namespace {

// Around every text.
constexpr std::size_t kSpecialTokens = 2;

// Where the next code point begins, from `at` on; at most the end.
std::size_t boundary_from(std::string_view text, std::size_t at) {
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
    return std::min(at, text.size());
}

class Windows {
  public:
    Windows(std::size_t max, tokenizers::Tokenizer& tokenizer) : max_(max), tokenizer_(tokenizer) {}

    void add_sentence(std::string_view sentence) {
        if (tokens_of(sentence) <= max_) return add(sentence);
        for (const auto word : text::words_of(sentence)) {
            if (tokens_of(word) <= max_) {
                add(word);
            } else {
                open_ = cut(joined(word));
                tokens_ = tokens_of(open_) - kSpecialTokens;
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
        tokenizer_.encode(part, max_, encoded_);
        return encoded_.tokens;
    }

    // Parts lie side by side in the text.
    std::string_view joined(std::string_view part) const {
        return open_.empty() ? part : std::string_view(open_.data(), open_.size() + part.size());
    }

    void add(std::string_view part) {
        const auto own = tokens_of(part) - kSpecialTokens;
        if (tokens_ + own > max_ - kSpecialTokens) close();
        open_ = joined(part);
        tokens_ += own;
    }

    // Parts together can have more tokens than one by one, so that the whole is counted.
    void close() {
        put(cut(open_));
        open_ = {};
        tokens_ = 0;
    }

    void put(std::string_view window) {
        window = text::trimmed(window);
        // White space and characters without tokens make no window.
        if (tokens_of(window) > kSpecialTokens) windows_.push_back(window);
    }

    bool fits(std::string_view window) { return tokens_of(text::trimmed(window)) <= max_; }

    // Makes windows of as many characters as fit; returns the rest, which fits in one.
    std::string_view cut(std::string_view text) {
        while (!fits(text)) {
            const auto first = text.substr(0, fitting_bytes(text));
            put(first);
            text.remove_prefix(first.size());
        }
        return text;
    }

    // The most characters at the beginning that fit, at least one, of a text that does not fit.
    // Examines few more than these, since a text may be long.
    std::size_t fitting_bytes(std::string_view text) {
        std::size_t min = 0;
        auto max = boundary_from(text, max_);
        while (max < text.size() && fits(text.substr(0, max))) {
            min = max;
            max = boundary_from(text, 2 * max);
        }
        for (;;) {
            const auto next = boundary_from(text, min + 1);
            if (next >= max) return min == 0 ? next : min;
            const auto middle = std::max(boundary_from(text, (min + max) / 2), next);
            const auto tried = middle < max ? middle : next;
            (fits(text.substr(0, tried)) ? min : max) = tried;
        }
    }

    std::size_t max_;
    tokenizers::Tokenizer& tokenizer_;
    tokenizers::Encoded encoded_;
    std::string_view open_;   // the window that is being filled
    std::size_t tokens_ = 0;  // of it
    std::vector<std::string_view> windows_;
};

}  // namespace

std::vector<std::string_view> windows_of(std::string_view text, std::size_t max,
                                         tokenizers::Tokenizer& tokenizer) {
    Windows windows(max, tokenizer);
    for (const auto sentence : text::sentences_of(text)) windows.add_sentence(sentence);
    return windows.finish();
}

}  // namespace plimsoll::transformer
