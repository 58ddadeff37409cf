// Reads folders, one a line, as published models: their tensors with all numbers, and their
// tokenizer with a few texts. Prints for each the milliseconds of the processor that it took, and
// whether the model and the tokenizer were read
// ("+") or refused ("-").
#include "engine/model_files/model.hpp"
#include "engine/tokenizers/tokenizer.hpp"

#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace plimsoll;

bool reads_model(const std::string& folder) {
    const auto model = model_files::open_model(folder);
    if (!model) return false;
    for (const auto& [name, tensor] : model->file.tensors) {
        std::vector<float> numbers(tensor.count());
        if (!model_files::to_floats(name, tensor, numbers)) return false;
    }
    return true;
}

bool reads_tokenizer(const std::string& folder) {
    auto tokenizer = tokenizers::Tokenizer::read(folder);
    if (!tokenizer) return false;
    tokenizers::Encoded encoded;
    for (const char* text :
         {"", "Profit rose by 40 percent!", "\xf0\x9f\x98\x80 na\xc3\xafve \xff[SEP]<s>"}) {
        tokenizer->encode(text, 16, encoded);
    }
    return true;
}

}  // namespace

int main() {
    for (std::string folder; std::getline(std::cin, folder);) {
        const auto began = std::clock();
        const bool model = reads_model(folder);
        const bool tokenizer = reads_tokenizer(folder);
        const auto took = 1000.0 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
        std::printf("%.1f %c%c\n", took, model ? '+' : '-', tokenizer ? '+' : '-');
        std::fflush(stdout);
    }
}
