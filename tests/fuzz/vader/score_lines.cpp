// Reads texts as JSON strings, one a line, and prints neg, neu, pos and compound of each, exactly.
#include "engine/sentiment/vader/vader.hpp"

#include <cstdio>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

int main() {
    plimsoll::sentiment::vader::Scorer scorer;
    for (std::string line; std::getline(std::cin, line);) {
        const auto scores = scorer.score(nlohmann::json::parse(line).get<std::string>());
        std::printf("%.17g %.17g %.17g %.17g\n", scores.neg, scores.neu, scores.pos,
                    scores.compound);
    }
}
