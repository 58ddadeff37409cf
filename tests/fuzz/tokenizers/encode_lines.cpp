// Reads texts as JSON strings, one a line, and prints the tokens of each by the tokenizer of the
// model in argv[1], at most argv[2] a text: ids, with the number of the whole text's first.
#include "engine/tokenizers/tokenizer.hpp"

#include <cstdio>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

int main(int count, char** arguments) {
    if (count != 3) return 2;
    auto tokenizer = plimsoll::tokenizers::Tokenizer::read(arguments[1]);
    if (!tokenizer) {
        std::fprintf(stderr, "%s (%s)\n", tokenizer.error().message.c_str(),
                     tokenizer.error().where.c_str());
        return 1;
    }
    plimsoll::tokenizers::Encoded encoded;
    std::string out;
    for (std::string line; std::getline(std::cin, line);) {
        tokenizer->encode(nlohmann::json::parse(line).get<std::string>(), std::stoul(arguments[2]),
                          encoded);
        out = std::to_string(encoded.tokens);
        for (const auto id : encoded.ids) out += " " + std::to_string(id);
        std::puts(out.c_str());
    }
}
