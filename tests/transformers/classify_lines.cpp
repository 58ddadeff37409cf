// Reads texts as JSON strings, one a line, classifies them by the model in argv[1] and prints each
// logit's bits in hexadecimal. Each further argument is SEED:TEXTS: the texts are given in the
// order of the seed, so many a batch, and printed once more. Environment: ROUNDS (repetitions that
// are timed; seconds go to stderr), CACHE, FORM.
#include "engine/opencl/devices/processor.hpp"
#include "engine/opencl/probing/probe.hpp"
#include "engine/transformer/text_classifier.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using namespace plimsoll;

long number(const char* name, long otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::atol(value);
}

template <class T>
T need(Result<T> result) {
    if (result) return std::move(*result);
    std::fprintf(stderr, "%s (%s)\n", result.error().message.c_str(), result.error().where.c_str());
    std::exit(1);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print(const transformer::Classified& one) {
    std::printf("%d", int(one.tokens));
    for (const auto& numbers : {one.logits, one.probabilities})
        for (const auto number : numbers)
            std::printf(" %08x", std::bit_cast<std::uint32_t>(number));
    std::puts("");
}

void classify(transformer::TextClassifier& classifier, const std::vector<std::string>& texts,
              unsigned seed, std::size_t batch) {
    std::vector<std::size_t> order(texts.size());
    std::iota(order.begin(), order.end(), 0U);
    if (seed != 0) std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    std::vector<transformer::Classified> classified;
    for (long round = 0; round < number("ROUNDS", 1); ++round) {
        std::size_t at = 0;
        std::string_view text;
        const auto next = [&]() -> Result<const std::string_view*> {
            if (at == order.size()) return nullptr;
            text = texts[order[at++]];
            return &text;
        };
        const auto start = std::chrono::steady_clock::now();
        const auto cpu = std::clock();
        classified = need(classifier.classify(next, batch, {}, [](std::size_t, std::size_t) {}));
        std::fprintf(stderr, "round %.4f %.4f\n", seconds_since(start),
                     double(std::clock() - cpu) / CLOCKS_PER_SEC);
    }
    std::vector<const transformer::Classified*> in_order(texts.size());
    for (std::size_t i = 0; i < order.size(); ++i) in_order[order[i]] = &classified[i];
    for (const auto* one : in_order) print(*one);
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) return 2;
    opencl::pin_driver_threads();
    std::vector<std::string> texts;
    for (std::string line; std::getline(std::cin, line);)
        texts.push_back(nlohmann::json::parse(line).get<std::string>());
    const auto device = need(opencl::Device::open({"pocl", 0}));
    auto capability = opencl::assess(device);
    // What the processor says of itself is believed.
    for (const auto feature : candidate_features(device.info()))
        capability.features.push_back(run_feature_test(device, feature));
    const char* form_name = std::getenv("FORM");
    const auto form = routines::parse_form(form_name == nullptr ? "fp32" : form_name);
    if (!form) return 2;
    const char* cache = std::getenv("CACHE");
    opencl::Programs programs(device, opencl::ProgramCache(cache == nullptr ? "" : cache));
    opencl::Ledger ledger(std::uint64_t{16} << 30);
    const tuning::Plans plans(device.info());
    const auto began = std::chrono::steady_clock::now();
    auto classifier = need(transformer::TextClassifier::load(
        arguments[1], programs, ledger, capability, plans, method_for(capability, *form), {}));
    std::fprintf(stderr, "load %.3f\n", seconds_since(began));
    classify(*classifier, texts, 0, 1 << 20);
    for (const std::string_view batching : std::span(arguments + 2, arguments + count)) {
        char* rest = nullptr;
        const auto seed = static_cast<unsigned>(std::strtoul(batching.data(), &rest, 10));
        if (*rest != ':') return 2;
        classify(*classifier, texts, seed, std::strtoul(rest + 1, nullptr, 10));
    }
}
