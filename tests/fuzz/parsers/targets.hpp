#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <span>
#include <string_view>

// Parsers of bytes from outside, each with what must hold for every input. libFuzzer gives them
// inputs in the preset `fuzz`, replay.cpp in all others.
namespace plimsoll::fuzz {

struct Target {
    std::string_view name;  // of its file in targets/, and in corpus.json
    void (*give)(std::string_view bytes);
};
std::span<const Target> targets();
const Target* find_target(std::string_view name);

// What must hold: the process ends otherwise, and its input is a counterexample.
inline void ensure(bool holds, std::source_location place = std::source_location::current()) {
    if (holds) return;
    std::fprintf(stderr, "%s:%u: does not hold\n", place.file_name(), place.line());
    std::abort();
}

}  // namespace plimsoll::fuzz
