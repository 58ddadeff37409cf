#include "engine/tokenizers/description.hpp"
#include "engine/tokenizers/tokenizer.hpp"

#include <algorithm>

namespace plimsoll::tokenizers {
namespace {

Result<std::uint32_t> id_of(const Description& description, const std::string& token) {
    if (const auto found = description.vocabulary.find(token);
        found != description.vocabulary.end()) {
        return found->second;
    }
    const auto added = std::ranges::find(description.special, token, &SpecialToken::content);
    if (added != description.special.end()) return added->id;
    return fail(Errc::invalid_input, "The vocabulary lacks the token \"" + token + "\".");
}

Result<std::unique_ptr<Subwords>> subwords_of(const Description& description) {
    if (!description.merges) return make_word_piece(description.vocabulary, description.word_piece);
    return make_byte_pairs(description.vocabulary, *description.merges, description.space_before);
}

}  // namespace

class TokenizerReader {
  public:
    static Result<Tokenizer> make(const Description& description) {
        Tokenizer tokenizer;
        TRY(tokenizer.subwords_, subwords_of(description));
        TRY(const auto before, id_of(description, description.before));
        TRY(const auto behind, id_of(description, description.behind));
        tokenizer.before_ = before;
        tokenizer.behind_ = behind;
        for (auto one : description.special) {
            tokenizer.vocabulary_ = std::max(tokenizer.vocabulary_, one.id + 1);
            if (one.normalized) one.content = tokenizer.subwords_->normalized(one.content);
            auto& list = one.normalized ? tokenizer.special_of_normalized_ : tokenizer.special_;
            if (!one.content.empty()) list.push_back(std::move(one));
        }
        for (const auto& [token, id] : description.vocabulary)
            tokenizer.vocabulary_ = std::max(tokenizer.vocabulary_, id + 1);
        return tokenizer;
    }
};

Result<Tokenizer> Tokenizer::read(const std::filesystem::path& model) {
    const auto file = model / "tokenizer.json";
    const bool joined = std::filesystem::exists(file);
    if (!joined && !std::filesystem::exists(model / "vocab.txt") &&
        !std::filesystem::exists(model / "vocab.json")) {
        return fail(Errc::not_found,
                    "The model has no tokenizer: tokenizer.json, vocab.txt, or vocab.json with "
                    "merges.txt.",
                    model.string());
    }
    const auto description = joined ? read_tokenizer_json(file) : read_vocabulary_files(model);
    auto made = description ? TokenizerReader::make(*description)
                            : Result<Tokenizer>(tl::unexpected(description.error()));
    if (made || !made.error().where.empty()) return made;
    auto error = made.error();
    error.message = "The tokenizer cannot be used. " + error.message;
    error.where = joined ? file.string() : model.string();
    return fail(std::move(error));
}

}  // namespace plimsoll::tokenizers
