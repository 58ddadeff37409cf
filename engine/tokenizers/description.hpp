#pragma once

#include "engine/base/result.hpp"
#include "engine/tokenizers/byte_pairs.hpp"
#include "engine/tokenizers/special_tokens.hpp"
#include "engine/tokenizers/word_piece.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::tokenizers {

// A tokenizer as described by a model's files.
struct Description {
    Vocabulary vocabulary;
    std::optional<Merges> merges;  // of byte pairs; none: WordPiece
    WordPieceRules word_piece;
    bool space_before = false;  // of byte pairs
    std::vector<SpecialToken> special;
    std::string before;  // the token before every text
    std::string behind;
};

// From tokenizer.json. Errc::invalid_input names unsupported features.
Result<Description> read_tokenizer_json(const std::filesystem::path& file);

// From vocab.txt, or vocab.json and merges.txt, with tokenizer_config.json if it exists.
Result<Description> read_vocabulary_files(const std::filesystem::path& model);

// An object in a file. Errc::not_found; Errc::invalid_input if it is not a JSON object.
Result<nlohmann::json> read_json_object(const std::filesystem::path& file);

// Adds a token as tokenizer.json and tokenizer_config.json describe it.
void add_token(const nlohmann::json& described, std::uint32_t id, Description& into);

// From an object that maps tokens to IDs; merges as "a b" or as pairs.
Result<Vocabulary> vocabulary_of(const nlohmann::json& tokens);
Result<Merges> merges_of(const nlohmann::json& list);

}  // namespace plimsoll::tokenizers
