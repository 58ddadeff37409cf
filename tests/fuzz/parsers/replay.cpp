// Gives every target its kept inputs, and for a while damaged copies of them; needs no special
// build. usage: parse_inputs SECONDS CORPUS
#include "tests/fuzz/parsers/targets.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using plimsoll::fuzz::Target;
using Random = std::minstd_rand;
using Steady = std::chrono::steady_clock;

// Each character stands for one byte.
std::string bytes_of(const std::string& text) {
    std::string bytes;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        bytes += byte < 0x80 ? text[at] : static_cast<char>(byte << 6 | (text.at(++at) & 0x3f));
    }
    return bytes;
}

std::string damaged(const std::vector<std::string>& inputs, Random& random) {
    const auto up_to = [&random](std::size_t max) { return random() % (max + 1); };
    std::string text = inputs[up_to(inputs.size() - 1)];
    for (auto times = up_to(3) + 1; times > 0; --times) {
        const auto at = up_to(text.size());
        const auto& other = inputs[up_to(inputs.size() - 1)];
        switch (up_to(4)) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << up_to(7)));
                break;
            case 1: text.erase(at, up_to(8)); break;
            case 2: text.insert(at, up_to(4) == 0 ? 300 : 1, static_cast<char>(random())); break;
            case 3: text.insert(at, text.substr(at, up_to(40))); break;
            default: text.replace(at, up_to(20), other.substr(up_to(other.size()), up_to(60)));
        }
    }
    return text;
}

// The input that is being given: it is written to a file if it ends the process.
std::string current;

[[noreturn]] void keep_input(int signal) {
    const auto* const name = "/tmp/plimsoll-last-input";
    if (std::FILE* file = std::fopen(name, "wb")) {
        std::fwrite(current.data(), 1, current.size(), file);
        std::fclose(file);
    }
    std::fprintf(stderr, "signal %d: the input is in the file \"%s\"\n", signal, name);
    std::_Exit(1);
}

void replay(const Target& target, std::chrono::duration<double> time, const nlohmann::json& kept) {
    std::vector<std::string> inputs;
    for (const auto& [name, text] : kept.items()) inputs.push_back(bytes_of(text));
    if (inputs.empty()) throw std::runtime_error("no inputs for " + std::string(target.name));
    const auto give = [&target](std::string input) {
        current = std::move(input);
        target.give(current);
    };
    for (const auto& input : inputs) give(input);
    long copies = 0;
    Random random(1);
    for (const auto end = Steady::now() + time; Steady::now() < end; ++copies)
        give(damaged(inputs, random));
    std::printf("%.*s: %zu kept inputs, %ld damaged copies\n", static_cast<int>(target.name.size()),
                target.name.data(), inputs.size(), copies);
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) try {
    if (count != 3) throw std::runtime_error("usage: parse_inputs SECONDS CORPUS");
    for (const int signal : {SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGBUS, SIGFPE})
        std::signal(signal, keep_input);
    const std::chrono::duration<double> time(std::strtod(arguments[1], nullptr));
    const auto corpus = nlohmann::json::parse(std::ifstream(arguments[2]));
    for (const auto& target : plimsoll::fuzz::targets())
        replay(target, time, corpus.at(std::string(target.name)));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
