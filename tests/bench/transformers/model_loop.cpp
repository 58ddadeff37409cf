// transformers_model_loop MODEL: reads texts as JSON strings, one a line, and prints one JSON line
// for what $WHAT says:
//  memory     bytes predicted for the model, and bytes that the process holds for it
//  batchings  the texts in $ROUNDS random orders and batches: how many scores differ, a digest of
//             all bits, device memory that was allocated meanwhile, rows computed, tokens needed
//  cancel     seconds from a request to stop until the device has stopped, $ROUNDS times
//  texts      seconds and processor seconds for all texts, $ROUNDS times, after the first $WARM
//  forward    seconds for the texts' tokens, in full batches, $ROUNDS times; all logits
// Environment: FORM, CACHE, DEVICE, and WITHOUT: instructions that count as missing.
#include "engine/base/sha256.hpp"
#include "engine/opencl/devices/processor.hpp"
#include "engine/opencl/probing/probe.hpp"
#include "engine/transformer/text_classifier.hpp"
#include "engine/transformer/text_model.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <numeric>
#include <random>
#include <thread>

#include <CL/cl.h>
#include <malloc.h>
#include <nlohmann/json.hpp>

namespace {

std::atomic<std::uint64_t> allocations = 0;

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
extern "C" cl_mem __real_clCreateBuffer(cl_context, cl_mem_flags, std::size_t, void*, cl_int*);
extern "C" cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, std::size_t bytes,
                                        void* host, cl_int* status) {
    ++allocations;
    return __real_clCreateBuffer(context, flags, bytes, host, status);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

using namespace plimsoll;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string variable(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : value;
}

template <class T>
T need(Result<T> result) {
    if (result) return std::move(*result);
    std::fprintf(stderr, "%s (%s)\n", result.error().message.c_str(), result.error().where.c_str());
    std::exit(1);
}

// Of this process, in memory, not backed by a file.
std::uint64_t anonymous_bytes() {
    malloc_trim(0);
    std::ifstream file("/proc/self/smaps_rollup");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("Anonymous:")) return std::stoull(line.substr(10)) << 10U;
    return 0;
}

opencl::Capability capability_of(const opencl::Device& device) {
    auto capability = opencl::assess(device);
    const auto without = variable("WITHOUT", "-");
    for (const auto feature : candidate_features(device.info())) {
        if (std::string(to_string(feature)).starts_with(without)) continue;
        capability.features.push_back(run_feature_test(device, feature));
    }
    return capability;
}

struct Bench {
    std::string folder;
    std::vector<std::string> texts;
    std::size_t rounds;
    opencl::Device device;
    opencl::Capability capability = capability_of(device);
    opencl::Programs programs{device, opencl::ProgramCache(variable("CACHE", ""))};
    opencl::Ledger ledger{std::uint64_t{16} << 30U};
    tuning::Plans plans{device.info()};
    routines::Form form = routines::parse_form(variable("FORM", "fp32")).value();

    std::unique_ptr<transformer::TextClassifier> load() {
        return need(transformer::TextClassifier::load(folder, programs, ledger, capability, plans,
                                                      method_for(capability, form), {}));
    }

    std::vector<transformer::Classified> classify(
        transformer::TextClassifier& classifier, const std::vector<std::size_t>& order,
        std::size_t max, const transformer::Classifier::Seen& seen = nullptr) {
        std::size_t at = 0;
        std::string_view text;
        const auto next = [&]() -> Result<const std::string_view*> {
            if (at == order.size()) return nullptr;
            text = texts[order[at++]];
            return &text;
        };
        return need(classifier.classify(next, max, {}, [](std::size_t, std::size_t) {}, seen));
    }

    std::vector<std::size_t> in_order() const {
        std::vector<std::size_t> order(texts.size());
        std::iota(order.begin(), order.end(), 0U);
        return order;
    }
};

// The largest batches that the model takes, of the longest and of the most sequences, so that all
// of its memory is used.
void fill(transformer::Classifier& classifier) {
    for (const std::size_t length : {std::size_t{classifier.longest()}, std::size_t{2}}) {
        transformer::Batch batch;
        const std::vector<std::uint32_t> sequence(length, 5);
        while (batch.ids.size() + length <= classifier.capacity()) batch.add(sequence);
        transformer::Scores scores;
        if (!classifier.run(batch, {}, scores)) std::exit(1);
    }
}

json memory(Bench& bench) {
    const auto model = need(model_files::open_model(bench.folder));
    constexpr std::size_t kTokens = 2560;
    const auto load = [&] {
        auto made = need(transformer::Classifier::load(
            bench.programs, bench.ledger, bench.capability, bench.plans, model,
            method_for(bench.capability, bench.form), kTokens, {}));
        fill(*made);
        return made;
    };
    load();  // builds the kernels
    const auto before = anonymous_bytes();
    const auto classifier = load();
    return {{"predicted", classifier->held_bytes()}, {"held", anonymous_bytes() - before}};
}

json batchings(Bench& bench) {
    const auto classifier = bench.load();
    const auto usual = bench.classify(*classifier, bench.in_order(), bench.texts.size());
    Sha256 digest;
    for (const auto& one : usual) {
        const auto bytes = std::as_bytes(std::span(one.logits));
        digest.add(bytes.data(), bytes.size());
    }
    const auto columns = classifier->model().config().hidden;
    std::uint64_t rows = 0;
    std::uint64_t tokens = 0;
    std::uint64_t differing = 0;
    std::uint64_t layers = 0;
    const auto seen = [&](std::span<const float> hidden) {
        rows += hidden.size() / columns;
        ++layers;
    };
    std::mt19937 bits(3);
    const auto already = allocations.load();
    for (std::size_t round = 0; round < bench.rounds; ++round) {
        auto order = bench.in_order();
        std::shuffle(order.begin(), order.end(), bits);
        order.resize(1 + bits() % order.size());  // other budgets: shares are even
        const auto found = bench.classify(*classifier, order, 1 + bits() % 40, seen);
        for (std::size_t i = 0; i < order.size(); ++i) {
            differing += found[i].logits == usual[order[i]].logits ? 0 : 1;
            if (!found[i].duplicate)
                tokens += std::min<std::size_t>(found[i].tokens, classifier->model().longest());
        }
    }
    // Seen after every layer but the last.
    const auto counted = classifier->model().config().layers - 1;
    return {{"differing", differing},
            {"digest", hexadecimal(digest.digest())},
            {"allocations", allocations - already},
            {"batches", layers / counted},
            {"rows", rows / counted},
            {"tokens", tokens}};
}

json cancel(Bench& bench) {
    const auto classifier = bench.load();
    const auto order = bench.in_order();
    const auto began = Clock::now();
    bench.classify(*classifier, order, order.size());
    const double whole = seconds_since(began);
    std::mt19937 bits(3);
    std::vector<double> seconds;
    while (seconds.size() < bench.rounds) {
        std::stop_source stop;
        Clock::time_point asked;
        const std::chrono::duration<double> pause(whole * (0.05 + 0.8 * (bits() % 1000) / 1000.0));
        std::jthread asks([&] {
            std::this_thread::sleep_for(pause);  // at any moment of the work
            asked = Clock::now();
            stop.request_stop();
        });
        std::size_t at = 0;
        std::string_view text;
        const auto next = [&]() -> Result<const std::string_view*> {
            if (at == order.size()) return nullptr;
            text = bench.texts[order[at++]];
            return &text;
        };
        const auto found = classifier->classify(next, order.size(), Watch{stop.get_token()},
                                                [](std::size_t, std::size_t) {});
        const auto ended = Clock::now();
        asks.join();
        if (!found) seconds.push_back(std::chrono::duration<double>(ended - asked).count());
    }
    return {{"seconds", seconds}};
}

json texts(Bench& bench) {
    const auto began = Clock::now();
    const auto classifier = bench.load();
    const double load = seconds_since(began);
    auto first = bench.in_order();
    first.resize(std::min(first.size(), std::stoul(variable("WARM", "128"))));
    bench.classify(*classifier, first, first.size());
    std::vector<double> seconds;
    std::vector<double> processor;
    for (std::size_t round = 0; round < bench.rounds; ++round) {
        const auto start = Clock::now();
        const auto used = std::clock();
        bench.classify(*classifier, bench.in_order(), bench.texts.size());
        seconds.push_back(seconds_since(start));
        processor.push_back(double(std::clock() - used) / CLOCKS_PER_SEC);
    }
    return {{"load", load}, {"seconds", seconds}, {"processor", processor}};
}

// The model alone: its batches are made before.
json forward(Bench& bench) {
    auto model = need(transformer::TextModel::load(bench.folder, bench.programs, bench.ledger,
                                                   bench.capability, bench.plans,
                                                   method_for(bench.capability, bench.form), {}));
    auto& classifier = *model.classifier;
    std::vector<transformer::Batch> batches(1);
    tokenizers::Encoded encoded;
    std::size_t tokens = 0;
    for (const auto& text : bench.texts) {
        model.tokenizer.encode(text, classifier.longest(), encoded);
        tokens += encoded.ids.size();
        if (batches.back().ids.size() + encoded.ids.size() > classifier.capacity())
            batches.emplace_back();
        batches.back().add(encoded.ids);
    }
    std::vector<double> seconds;
    std::vector<std::vector<float>> logits;
    transformer::Scores scores;
    for (std::size_t round = 0; round < bench.rounds; ++round) {
        logits.clear();
        const auto start = Clock::now();
        for (const auto& batch : batches) {
            if (auto done = classifier.run(batch, {}, scores); !done)
                need(Result<int>(fail(done.error())));
            logits.push_back(scores.logits);
        }
        seconds.push_back(seconds_since(start));
    }
    json told{{"seconds", seconds}, {"tokens", tokens}, {"batches", batches.size()}};
    const auto labels = classifier.config().labels.size();
    for (const auto& batch : logits) {
        for (std::size_t at = 0; at < batch.size(); at += labels) {
            told["logits"].push_back(
                std::vector(batch.begin() + static_cast<std::ptrdiff_t>(at),
                            batch.begin() + static_cast<std::ptrdiff_t>(at + labels)));
        }
    }
    return told;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    opencl::pin_driver_threads();
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);)
        lines.push_back(json::parse(line).get<std::string>());
    Bench bench{.folder = arguments[1],
                .texts = std::move(lines),
                .rounds = std::stoul(variable("ROUNDS", "1")),
                .device = need(opencl::Device::open(
                    need(opencl::parse_device_address(variable("DEVICE", "opencl:pocl:0")))))};
    const auto what = variable("WHAT", "texts");
    json told = what == "memory"      ? memory(bench)
                : what == "batchings" ? batchings(bench)
                : what == "cancel"    ? cancel(bench)
                : what == "forward"   ? forward(bench)
                                      : texts(bench);
    told["method"] = to_string(method_for(bench.capability, bench.form));
    told["device"] = bench.device.info().name;
    std::puts(told.dump().c_str());
}
