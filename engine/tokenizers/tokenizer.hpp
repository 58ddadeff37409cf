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

// A text as a model reads it.
struct Encoded {
    std::vector<std::uint32_t> ids;  // with the tokens before and behind every text
    std::size_t tokens = 0;          // of the whole text, these included
    bool truncated() const { return ids.size() < tokens; }
};

// The tokenizer of a published model, equal to that of the library `tokenizers` for every text. One
// thread uses it at a time.
class Tokenizer {
  public:
    // Reads tokenizer.json, else vocab.txt (WordPiece), else vocab.json and merges.txt (byte
    // pairs), with what tokenizer_config.json says of them. Errc::not_found when there is none of
    // these; Errc::invalid_input, with the file's name, when it is damaged or asks for something
    // that is not supported.
    static Result<Tokenizer> read(const std::filesystem::path& model);

    // At most `most` tokens (2 at least) with those before and behind the text, as the model's
    // positions demand: the text's own are cut off at the end. Takes any bytes: what is not UTF-8
    // counts as U+FFFD.
    void encode(std::string_view text, std::size_t most, Encoded& into);

    // One more than the largest id that it gives.
    std::uint32_t vocabulary() const { return vocabulary_; }

  private:
    friend class TokenizerReader;

    std::unique_ptr<Subwords> subwords_;
    std::vector<SpecialToken> special_;
    std::uint32_t before_ = 0;
    std::uint32_t behind_ = 0;
    std::uint32_t vocabulary_ = 0;
};

}  // namespace plimsoll::tokenizers
