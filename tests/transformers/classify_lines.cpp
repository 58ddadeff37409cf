// Reads texts as JSON strings, one a line, classifies them by the model in argv[1] and prints each
// logit's bits in hexadecimal. Environment: TEXTS (of a batch), SHUFFLE (a seed: texts are given in
// another order), ROUNDS (repetitions that are timed; seconds go to stderr), CACHE, FORM.
#include "engine/opencl/devices/processor.hpp"
#include "engine/opencl/probing/probe.hpp"
#include "engine/transformer/text_classifier.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <numeric>
#include <random>

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

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    opencl::pin_driver_threads();
    std::vector<std::string> texts;
    for (std::string line; std::getline(std::cin, line);)
        texts.push_back(nlohmann::json::parse(line).get<std::string>());
    std::vector<std::size_t> order(texts.size());
    std::iota(order.begin(), order.end(), 0U);
    if (const auto seed = number("SHUFFLE", 0); seed != 0)
        std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(seed)));
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
    const auto seconds = [&](auto since) {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
    };
    auto classifier = need(transformer::TextClassifier::load(
        arguments[1], programs, ledger, capability, plans, method_for(capability, *form), {}));
    std::fprintf(stderr, "load %.3f\n", seconds(began));
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
        classified =
            need(classifier->classify(next, static_cast<std::size_t>(number("TEXTS", 1 << 20)), {},
                                      [](std::size_t, std::size_t) {}));
        std::fprintf(stderr, "round %.4f %.4f\n", seconds(start),
                     double(std::clock() - cpu) / CLOCKS_PER_SEC);
    }
    std::vector<std::string> lines(texts.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        auto& line = lines[order[i]];
        line = std::to_string(classified[i].tokens);
        for (const auto& numbers : {classified[i].logits, classified[i].probabilities}) {
            for (const auto one : numbers) {
                std::array<char, 16> hex{};
                std::snprintf(hex.data(), hex.size(), " %08x", std::bit_cast<std::uint32_t>(one));
                line += hex.data();
            }
        }
    }
    for (const auto& line : lines) std::puts(line.c_str());
}
