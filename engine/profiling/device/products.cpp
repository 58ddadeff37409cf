#include "engine/profiling/device/buffers.hpp"
#include "engine/tuning/plans.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::profiling {

namespace {

using operations::Method;

struct Size {
    std::uint32_t m, n, k;
};

// A layer of BERT-base for many tokens and for a few.
constexpr std::array kSizes = {Size{1024, 768, 768}, Size{1024, 3072, 768}, Size{1024, 768, 3072},
                               Size{64, 768, 768}, Size{64, 3072, 768}};

// Buffers for products of up to `m` rows.
struct Product {
    opencl::Buffer a, packed, c;
    Size size;

    Result<Timing> time(const Subject& subject, const operations::GemmPlan& plan,
                        std::uint32_t rows) const {
        return time_launches(subject, [&] {
            return multiply(
                subject.programs, plan,
                {.a = a, .packed_b = packed, .c = c, .m = rows, .n = size.n, .k = size.k});
        });
    }
};

Result<Product> product_of(const Subject& subject, const operations::GemmPlan& plan, Size size) {
    const auto& device = subject.programs.device();
    auto a = random_buffer(device, std::size_t{size.m} * size.k);
    auto b = random_buffer(device, std::size_t{size.k} * size.n);
    auto c = device.allocate(std::size_t{size.m} * size.n * sizeof(float));
    auto packed = device.allocate(packed_bytes(plan, size.k, size.n));
    for (const auto* made : {&a, &b, &c, &packed}) {
        if (!*made) return fail(made->error());
    }
    auto done = pack(subject.programs, plan, *b, {size.k, size.n, size.n, 1}, *packed);
    if (done) done = device.finish();
    if (!done) return fail(std::move(done.error()));
    return Product{std::move(*a), std::move(*packed), std::move(*c), size};
}

}  // namespace

Result<std::vector<Rate>> measure_products(const Subject& subject, const Peak& peak) {
    std::vector methods{method_for(subject.capability, operations::Precision::fp32)};
    const auto lower = method_for(subject.capability, operations::Precision::bf16);
    if (lower != methods.front()) methods.push_back(lower);
    const tuning::Plans plans(subject.programs.device().info());
    std::vector<Rate> rates;
    for (const auto method : methods) {
        for (const auto size : kSizes) {
            const auto plan = plans.plan_for(tuning::bucket_of(method, size.m, size.n, size.k));
            const auto product = product_of(subject, plan, size);
            if (!product) return fail(product.error());
            const auto timing = product->time(subject, plan, size.m);
            if (!timing) return fail(timing.error());
            Rate rate{std::to_string(size.m) + " x " + std::to_string(size.n) + " x " +
                          std::to_string(size.k),
                      std::string(to_string(method)),
                      *timing,
                      2.0 * size.m * size.n * size.k,
                      {}};
            rate.share_of_peak = rate.per_second() / peak.fma.most_per_second();
            rates.push_back(std::move(rate));
        }
    }
    return rates;
}

Result<KneeSearch> measure_product_knee(const Subject& subject, const BatchLimits& limits) {
    const auto method = method_for(subject.capability, operations::Precision::fp32);
    const tuning::Plans plans(subject.programs.device().info());
    const auto rows = static_cast<std::uint32_t>(limits.largest_batch);
    // One layout of the weights for all batches, as a model has it.
    const auto plan = plans.plan_for(tuning::bucket_of(method, rows, kKneeColumns, kKneeDepth));
    const auto product = product_of(subject, plan, {rows, kKneeColumns, kKneeDepth});
    if (!product) return fail(product.error());
    return search_knee(
        [&](std::int64_t batch) -> Result<BatchPoint> {
            const auto timing = product->time(subject, plan, static_cast<std::uint32_t>(batch));
            if (!timing) return fail(timing.error());
            const auto numbers = static_cast<std::uint64_t>(batch) * (kKneeColumns + kKneeDepth);
            return BatchPoint{batch, *timing, numbers * sizeof(float)};
        },
        limits);
}

}  // namespace plimsoll::profiling
