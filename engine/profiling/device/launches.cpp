#include "engine/kernels/embedded.hpp"
#include "engine/opencl/runtime/invoke.hpp"
#include "engine/opencl/runtime/transfers.hpp"
#include "engine/profiling/device/buffers.hpp"

#include <chrono>

namespace plimsoll::profiling {

namespace {

constexpr int kQueuedLaunches = 1000;
constexpr std::size_t kItems = 64;

// Seconds until the first kernel of a process has run once.
Result<double> first_launch(const opencl::Device& device, const std::filesystem::path& cache,
                            const std::string& options, const opencl::Buffer& out) {
    opencl::Programs programs(device, opencl::ProgramCache(cache));
    const double start = steady_seconds();
    const auto kernel = programs.get(
        "profile_nothing", options, [] { return std::string(kernels::source("profile_nothing")); });
    if (!kernel) return fail(kernel.error());
    auto done = opencl::invoke(device, **kernel, {kItems, kItems}, out);
    if (done) done = device.finish();
    if (!done) return fail(std::move(done.error()));
    return steady_seconds() - start;
}

}  // namespace

Result<LaunchCost> measure_launches(const Subject& subject, const std::filesystem::path& cache) {
    const auto& device = subject.programs.device();
    TRY(const auto out, device.allocate(kItems * sizeof(float)));
    LaunchCost cost;
    // Drivers cache compiled kernels too: a program never compiled before is cold everywhere.
    const auto unseen =
        "-DUNSEEN=" + std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
    for (double* seconds : {&cost.cold_build, &cost.warm_build}) {
        TRY(*seconds, first_launch(device, cache, unseen, out));
    }
    const auto kernel = subject.programs.get(
        "profile_nothing", {}, [] { return std::string(kernels::source("profile_nothing")); });
    if (!kernel) return fail(kernel.error());
    const auto launch = [&] { return opencl::invoke(device, **kernel, {kItems, kItems}, out); };
    TRY(cost.waited, time_launches(subject, launch));
    const auto queued = time_launches(subject, [&]() -> Result<void> {
        for (int i = 0; i < kQueuedLaunches; ++i)
            TRY_DO(launch());
        return {};
    });
    if (!queued) return fail(queued.error());
    cost.queued = queued->median / kQueuedLaunches;
    return cost;
}

Result<Overlap> measure_overlap(const Subject& subject) {
    constexpr std::uint32_t kRows = 512;
    constexpr std::size_t kCopied = std::size_t{16} << 20;
    const auto& device = subject.programs.device();
    const auto method = method_for(subject.capability, routines::Form::fp32);
    const auto plan =
        subject.plans.plan_for(tuning::bucket_of(method, kRows, kKneeColumns, kKneeDepth));
    auto a = random_buffer(device, std::size_t{kRows} * kKneeDepth);
    auto packed =
        random_buffer(device, packed_bytes(plan, kKneeDepth, kKneeColumns) / sizeof(float));
    auto c = device.allocate(std::size_t{kRows} * kKneeColumns * sizeof(float));
    auto next = device.allocate(kCopied);
    for (const auto* made : {&a, &packed, &c, &next})
        if (!*made) return fail(made->error());
    TRY(auto transfers,
        opencl::Transfers::create(device, opencl::Transfers::Mode::staged, kCopied / 2));
    const std::vector<std::byte> bytes(kCopied, std::byte{1});
    const auto compute = [&] {
        return multiply(
            subject.programs, plan,
            {.a = *a, .b = *packed, .c = *c, .m = kRows, .n = kKneeColumns, .k = kKneeDepth});
    };
    const auto copy = [&]() -> Result<void> {
        TRY_DO(transfers.upload(*next, bytes));
        return transfers.arrive();
    };
    const auto computed = time_launches(subject, compute);
    const auto copied = time_launches(subject, copy);
    const auto both = time_launches(subject, [&]() -> Result<void> {
        // An upload waits for earlier launches, which may read the old bytes.
        TRY_DO(transfers.upload(*next, bytes));
        TRY_DO(compute());
        return transfers.arrive();
    });
    for (const auto* timing : {&computed, &copied, &both})
        if (!*timing) return fail(timing->error());
    return Overlap{*computed, *copied, *both};
}

}  // namespace plimsoll::profiling
