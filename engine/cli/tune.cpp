#include "engine/cli/commands.hpp"
#include "engine/cli/ready_device.hpp"
#include "engine/cli/saved_plans.hpp"
#include "engine/tuning/gemm_search.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace plimsoll::cli {
namespace {

using routines::Form;

struct Size {
    std::uint32_t m, n, k;
};

// The layers of a BERT-base encoder, for a few tokens and for many.
constexpr std::array kSizes = {Size{64, 768, 768},   Size{64, 3072, 768},   Size{64, 768, 3072},
                               Size{1024, 768, 768}, Size{1024, 3072, 768}, Size{1024, 768, 3072}};

Result<void> tune_all(const ReadyDevice& ready, const TuneOptions& options, tuning::Plans& plans) {
    opencl::Programs programs(ready.device, opencl::ProgramCache(options.cache / "programs"));
    const auto budget = std::chrono::milliseconds(static_cast<int>(options.seconds * 1e3));
    std::vector methods{method_for(ready.capability, Form::fp32)};
    const auto lower = method_for(ready.capability, Form::bf16);
    if (lower != methods.front()) methods.push_back(lower);
    for (const auto method : methods) {
        for (const auto& [m, n, k] : kSizes) {
            const auto bucket = tuning::bucket_of(method, m, n, k);
            const auto found = tuning::search(programs, bucket, budget);
            if (!found) return fail(found.error());
            // If there was time for the default only, nothing was learned: an earlier plan may be
            // better.
            if (found->tried.size() > 1) plans.keep(bucket, found->best);
            double best = found->tried.front().seconds;
            std::size_t wrong = 0;
            for (const auto& one : found->tried) {
                if (one.plan == found->best) best = one.seconds;
                if (!one.accurate) ++wrong;
            }
            std::printf("%-10s %4u x %4u x %4u  %8.1f GFLOP/s, %+.0f %% by %zu plans, %zu wrong\n",
                        std::string(to_string(method)).c_str(), m, n, k, 2e-9 * m * n * k / best,
                        (found->tried.front().seconds / best - 1) * 100, found->tried.size(),
                        wrong);
            std::fflush(stdout);
        }
    }
    return {};
}

}  // namespace

int tune(const TuneOptions& options) {
    const auto refuse = [](const Error& error) {
        std::fprintf(stderr, "plimsoll-engine: %s\n", error.message.c_str());
        return EXIT_FAILURE;
    };
    const auto ready = open_ready(options.device);
    if (!ready) return refuse(ready.error());
    const auto& info = ready->device.info();
    const auto file = tuning::plans_file(options.cache, info.address);
    tuning::Plans plans(info);
    read_plans(plans, file);
    if (auto done = tune_all(*ready, options, plans); !done) return refuse(done.error());
    if (auto written = plans.write(file); !written) return refuse(written.error());
    std::printf("%s\n", file.c_str());
    return EXIT_SUCCESS;
}

}  // namespace plimsoll::cli
