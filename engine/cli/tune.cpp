#include "engine/tuning/tune.hpp"

#include "engine/cli/commands.hpp"
#include "engine/cli/ready_device.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace plimsoll::cli {
namespace {

using routines::Form;

// Of BERT-base.
constexpr std::uint32_t kHidden = 768;
constexpr std::uint32_t kIntermediate = 3072;

void print_search(const tuning::Bucket& bucket, const tuning::SearchResult& found) {
    double best = found.tried.front().seconds;
    std::size_t wrong = 0;
    for (const auto& one : found.tried) {
        if (one.plan == found.best) best = one.seconds;
        if (!one.accurate) ++wrong;
    }
    const auto& [method, m, n, k] = bucket;
    std::printf(
        "%-15s %4u x %4u x %4u  %8.1f GFLOP/s, %+.0f %%, best of %zu plans, %zu inaccurate\n",
        std::string(to_string(method)).c_str(), m, n, k, 2e-9 * m * n * k / best,
        (found.tried.front().seconds / best - 1) * 100, found.tried.size(), wrong);
    std::fflush(stdout);
}

Result<void> tune_all(ReadyDevice& ready, const TuneOptions& options) {
    std::vector<routines::Method> methods;
    for (const auto form : {Form::fp32, Form::bf16, Form::int8}) {
        const auto own = methods_for(ready.capability, form);
        methods.insert(methods.end(), own.begin(), own.end());
    }
    for (const auto method : methods) {
        const auto buckets = tuning::products_of_layers(method, kHidden, kIntermediate);
        const std::chrono::duration<double> budget(options.seconds *
                                                   static_cast<double>(buckets.size()));
        const tuning::SearchLimits limits{
            .budget = std::chrono::duration_cast<std::chrono::milliseconds>(budget)};
        if (auto done = tuning::tune(ready.programs, buckets, limits, ready.plans, print_search);
            !done)
            return done;
    }
    return {};
}

}  // namespace

Result<int> tune(const TuneOptions& options) {
    TRY(const auto ready, open_ready(options.device, options.cache));
    TRY_DO(tune_all(*ready, options));
    const auto& file = ready->plans_file;
    TRY_DO(ready->plans.write(file));
    std::printf("%s\n", file.c_str());
    return EXIT_SUCCESS;
}

}  // namespace plimsoll::cli
