// tokenizer.json, and the texts that it cuts.
#include "engine/tokenizers/tokenizer.hpp"
#include "tests/fuzz/parsers/targets.hpp"
#include "tests/unit/engine/temporary_folder.hpp"

#include <fstream>

namespace plimsoll::fuzz {

void give_tokenizers(std::string_view text) {
    static const TemporaryFolder folder;
    std::ofstream(folder.path() / "tokenizer.json", std::ios::binary) << text;
    auto tokenizer = tokenizers::Tokenizer::read(folder.path());
    if (!tokenizer) return;
    tokenizers::Encoded encoded;
    tokenizer->encode(text, 16, encoded);
    ensure(encoded.ids.size() <= 16 && encoded.ids.size() <= encoded.tokens);
    for (const auto id : encoded.ids) ensure(id < tokenizer->vocabulary());
}

}  // namespace plimsoll::fuzz
