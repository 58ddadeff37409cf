// The queue's rules under random histories.
//
//   queue_simulation [--steps N] [--seed N] [--histories N] [--few] [--record] [--mutants]
//   [--without GUARD]
//
// --steps N     histories until N steps were made (default 50,000,000)
// --histories N N histories instead
// --seed N      of the first history; a failure prints its own, and --seed S --histories 1 repeats
// it
// --few         at most four teams: more than a claim serves, with equal virtual times, have no
// order in SQL
// --record      writes each history to the standard output, for replay.py
// --mutants     removes one guard after the other, and expects a violation for each
// --without G   removes this guard

#include "tests/simulation/queue/history.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <utility>

namespace {

using plimsoll::queue::rules::Guards;
using plimsoll::simulation::Record;
using plimsoll::simulation::Simulator;
using plimsoll::simulation::Violation;

constexpr std::pair<const char*, bool Guards::*> kGuards[] = {
    {"fence", &Guards::fence},
    {"lease_time", &Guards::lease_time},
    {"epoch", &Guards::epoch},
    {"fence_grows", &Guards::fence_grows},
    {"cap", &Guards::cap},
    {"slot_return", &Guards::slot_return},
    {"cursor", &Guards::cursor},
    {"charge", &Guards::charge},
    {"weight", &Guards::weight},
    {"quantum", &Guards::quantum},
    {"no_credit", &Guards::no_credit},
    {"cancel", &Guards::cancel},
    {"poison", &Guards::poison},
    {"silence", &Guards::silence},
    {"late_death", &Guards::late_death},
    {"expiry", &Guards::expiry},
    {"merge_once", &Guards::merge_once},
    {"whole", &Guards::whole},
    {"key", &Guards::key},
    {"unique_key", &Guards::unique_key},
    {"pause", &Guards::pause},
    {"drop", &Guards::drop},
};

struct Options {
    std::int64_t steps = 50'000'000;
    std::int64_t histories = std::numeric_limits<std::int64_t>::max();
    std::uint64_t seed = 1;
    bool few = false;
    bool record = false;
    bool mutants = false;
    Guards guards;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
        const auto value = [&] {
            if (++i == argc) throw std::invalid_argument("an option wants a number");
            return std::stoll(argv[i]);
        };
        if (is("--steps"))
            options.steps = value();
        else if (is("--histories"))
            options.histories = value(), options.steps = std::numeric_limits<std::int64_t>::max();
        else if (is("--seed"))
            options.seed = static_cast<std::uint64_t>(value());
        else if (is("--few"))
            options.few = true;
        else if (is("--record"))
            options.record = true;
        else if (is("--mutants"))
            options.mutants = true;
        else if (is("--without")) {
            const auto known = std::ranges::find_if(kGuards, [&](const auto& guard) {
                return i + 1 < argc && std::strcmp(argv[i + 1], guard.first) == 0;
            });
            if (known == std::end(kGuards)) throw std::invalid_argument("no such guard");
            options.guards.*(known->second) = false;
            ++i;
        } else
            throw std::invalid_argument(std::string("unknown option ") + argv[i]);
    }
    return options;
}

bool run(const Options& options) {
    Record record(std::cout);
    Simulator simulator(options.guards, options.record ? &record : nullptr);
    auto seed = options.seed;
    const auto start = std::chrono::steady_clock::now();
    std::int64_t histories = 0;
    for (; histories < options.histories && simulator.steps() < options.steps;
         ++histories, ++seed) {
        try {
            simulator.run(seed, !options.few);
        } catch (const Violation& broken) {
            std::cerr << broken.what() << "\nseed " << seed << ", step "
                      << simulator.history_steps() << '\n';
            return false;
        }
        if (simulator.history_steps() < 50 || simulator.history_faults() < 2) {
            std::cerr << "seed " << seed << " is too short a history\n";
            return false;
        }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::cerr << histories << " histories, " << simulator.steps() << " steps, "
              << simulator.faults() << " faults, " << took.count() << " s\n";
    return true;
}

bool run_mutants(const Options& options) {
    bool all = true;
    for (const auto& [name, guard] : kGuards) {
        Guards guards;
        guards.*guard = false;
        Simulator simulator(guards);
        std::string found;
        auto seed = options.seed;
        for (; found.empty() && simulator.steps() < options.steps; ++seed) {
            try {
                simulator.run(seed, true);
            } catch (const Violation& broken) {
                found = broken.what();
            }
        }
        std::cerr << "without " << name << ": " << (found.empty() ? "nobody noticed" : found)
                  << " (seed " << seed - 1 << ", " << simulator.steps() << " steps)\n";
        all = all && !found.empty();
    }
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto options = parse(argc, argv);
        return (options.mutants ? run_mutants(options) : run(options)) ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 2;
    }
}
