#pragma once

#include "engine/base/result.hpp"
#include "engine/tokenizers/special_tokens.hpp"
#include "engine/tokenizers/subwords.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace plimsoll::tokenizers {

// A text as the input of a model.
struct Encoded {
    std::vector<std::uint32_t> ids;  // including the special tokens around every text
    std::size_t tokens = 0;          // of the whole text, including these
    bool truncated() const { return ids.size() < tokens; }
};

// The tokenizer of a published model, equal to that of the library `tokenizers` for every text. Not
// thread-safe.
class Tokenizer {
  public:
    // Reads tokenizer.json, else vocab.txt (WordPiece), else vocab.json and merges.txt (byte
    // pairs), with tokenizer_config.json. Errc::not_found if there is none of these;
    // Errc::invalid_input, with the file's name, if it is damaged or needs an unsupported feature.
    static Result<Tokenizer> read(const std::filesystem::path& model);

    // At most `max` tokens (at least 2), including the special tokens around the text, as the
    // model's positions require: the text's own tokens are truncated at the end. Accepts any bytes:
    // invalid UTF-8 counts as U+FFFD.
    void encode(std::string_view text, std::size_t max, Encoded& into);

    // One more than the largest ID.
    std::uint32_t vocabulary() const { return vocabulary_; }

  private:
    friend class TokenizerReader;

    std::unique_ptr<Subwords> subwords_;
    std::vector<SpecialToken> special_;
    std::vector<SpecialToken> special_of_normalized_;
    std::uint32_t before_ = 0;
    std::uint32_t behind_ = 0;
    std::uint32_t vocabulary_ = 0;
};

}  // namespace plimsoll::tokenizers
