// transformers_token_loop MODEL MOST: reads texts as JSON strings, one a line, and tokenises all of
// them $ROUNDS times with the tokenizer of a model, at most MOST tokens a text. Prints one JSON
// line: processor seconds of each round, and tokens.
#include "engine/tokenizers/tokenizer.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

int main(int count, char** arguments) {
    if (count != 3) return 2;
    auto tokenizer = plimsoll::tokenizers::Tokenizer::read(arguments[1]);
    if (!tokenizer) {
        std::fprintf(stderr, "%s\n", tokenizer.error().message.c_str());
        return 1;
    }
    std::vector<std::string> texts;
    for (std::string line; std::getline(std::cin, line);)
        texts.push_back(nlohmann::json::parse(line).get<std::string>());
    const char* rounds = std::getenv("ROUNDS");
    plimsoll::tokenizers::Encoded encoded;
    std::vector<double> seconds;
    std::size_t tokens = 0;
    for (auto left = rounds == nullptr ? 1 : std::atol(rounds); left > 0; --left) {
        tokens = 0;
        const auto start = std::clock();
        for (const auto& text : texts) {
            tokenizer->encode(text, std::stoul(arguments[2]), encoded);
            tokens += encoded.ids.size();
        }
        seconds.push_back(double(std::clock() - start) / CLOCKS_PER_SEC);
    }
    std::puts(nlohmann::json{{"processor", seconds}, {"tokens", tokens}}.dump().c_str());
}
