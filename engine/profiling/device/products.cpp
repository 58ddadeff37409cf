#include "engine/profiling/device/buffers.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

namespace plimsoll::profiling {

namespace {

using routines::Method;

struct Size {
    std::uint32_t m, n, k;
};

// A layer of BERT-base for many tokens and for a few.
constexpr std::array kSizes = {Size{1024, 768, 768}, Size{1024, 3072, 768}, Size{1024, 768, 3072},
                               Size{64, 768, 768}, Size{64, 3072, 768}};

// And, on GPUs, for their batches.
constexpr std::array kGpuSizes = {Size{16384, 2304, 768}, Size{16384, 3072, 768},
                                  Size{16384, 768, 3072}, Size{8192, 8192, 8192}};

std::vector<Size> sizes_for(const opencl::Device& device) {
    std::vector<Size> sizes(kSizes.begin(), kSizes.end());
    if (routines::flavour_for(device.info()) == routines::Flavour::group)
        sizes.insert(sizes.end(), kGpuSizes.begin(), kGpuSizes.end());
    return sizes;
}

// Buffers for products of up to `m` rows.
struct Product {
    opencl::Buffer a, packed, c;  // A in the method's form, as models have it
    Size size;

    Result<Timing> time(const Subject& subject, const routines::GemmPlan& plan,
                        std::uint32_t rows) const {
        return time_launches(subject, [&] {
            return multiply(subject.programs, plan,
                            {.a = a,
                             .b = packed,
                             .c = c,
                             .m = rows,
                             .n = size.n,
                             .k = size.k,
                             .narrow_a = form_of(plan.method) != routines::Form::fp32});
        });
    }
};

Result<Product> product_of(const Subject& subject, const routines::GemmPlan& plan, Size size) {
    const auto& device = subject.programs.device();
    auto a = random_buffer(device, std::size_t{size.m} * size.k);
    auto b = random_buffer(device, std::size_t{size.k} * size.n);
    auto c = device.allocate(std::size_t{size.m} * size.n * sizeof(float));
    auto packed = device.allocate(packed_bytes(plan, size.k, size.n));
    for (const auto* made : {&a, &b, &c, &packed})
        if (!*made) return fail(made->error());
    auto done = pack(subject.programs, plan, *b, {size.k, size.n, size.n, 1}, *packed);
    if (const auto form = form_of(plan.method); done && form != routines::Form::fp32) {
        TRY(auto rows, device.allocate(std::size_t{size.m} * size.k * bytes_of_number(form)));
        routines::NarrowRows narrowed{std::move(rows), {}};
        done = narrow(subject.programs, plan.method, *a, narrowed, {size.m, size.k});
        if (done) done = device.finish();  // before the rows in fp32 are released
        a = std::move(narrowed.numbers);
    }
    if (done) done = device.finish();
    if (!done) return fail(std::move(done.error()));
    return Product{std::move(*a), std::move(*packed), std::move(*c), size};
}

}  // namespace

Result<std::vector<Rate>> measure_products(const Subject& subject, const Peak& peak) {
    std::vector methods{method_for(subject.capability, routines::Form::fp32)};
    const auto lower = method_for(subject.capability, routines::Form::bf16);
    if (lower != methods.front()) methods.push_back(lower);
    std::vector<Rate> rates;
    for (const auto method : methods) {
        for (const auto size : sizes_for(subject.programs.device())) {
            const auto plan =
                subject.plans.plan_for(tuning::bucket_of(method, size.m, size.n, size.k));
            TRY(const auto product, product_of(subject, plan, size));
            TRY(const auto timing, product.time(subject, plan, size.m));
            Rate rate{std::to_string(size.m) + " x " + std::to_string(size.n) + " x " +
                          std::to_string(size.k),
                      std::string(to_string(method)),
                      timing,
                      2.0 * size.m * size.n * size.k,
                      {}};
            rate.share_of_peak = rate.per_second() / peak.fma.max_per_second();
            rates.push_back(std::move(rate));
        }
    }
    return rates;
}

namespace {

// Measures batches of rows with one weight layout for all, as in a model.
Result<MeasureBatch> product_by_rows(const Subject& subject, const BatchLimits& limits) {
    const auto method = method_for(subject.capability, routines::Form::fp32);
    const auto rows = static_cast<std::uint32_t>(limits.largest_batch);
    const auto plan =
        subject.plans.plan_for(tuning::bucket_of(method, rows, kKneeColumns, kKneeDepth));
    TRY(auto made, product_of(subject, plan, {rows, kKneeColumns, kKneeDepth}));
    const auto product = std::make_shared<const Product>(std::move(made));
    return [&subject, plan, product](std::int64_t batch) -> Result<BatchPoint> {
        TRY(const auto timing, product->time(subject, plan, static_cast<std::uint32_t>(batch)));
        const auto numbers = static_cast<std::uint64_t>(batch) * (kKneeColumns + kKneeDepth);
        return BatchPoint{batch, timing, numbers * sizeof(float)};
    };
}

}  // namespace

Result<KneeSearch> measure_product_knee(const Subject& subject, const BatchLimits& limits) {
    TRY(const auto measure, product_by_rows(subject, limits));
    return search_knee(measure, limits);
}

Result<std::vector<BatchPoint>> sweep_product(const Subject& subject, const BatchLimits& limits) {
    TRY(const auto measure, product_by_rows(subject, limits));
    std::vector<BatchPoint> points;
    for (const auto batch : sweep_batches(limits.largest_batch)) {
        TRY(auto point, measure(batch));
        points.push_back(std::move(point));
    }
    return points;
}

Result<std::vector<double>> compare_product_batches(const Subject& subject,
                                                    const BatchLimits& limits,
                                                    std::span<const std::int64_t> batches,
                                                    int rounds) {
    TRY(const auto measure, product_by_rows(subject, limits));
    std::vector<std::vector<double>> rates(batches.size());
    for (int round = 0; round < rounds; ++round) {
        // Each size is measured once.
        std::map<std::int64_t, double> of_round;
        for (std::size_t i = 0; i < batches.size(); ++i) {
            if (!of_round.contains(batches[i])) {
                TRY(const auto point, measure(batches[i]));
                of_round.emplace(batches[i], point.items_per_second());
            }
            rates[i].push_back(of_round.at(batches[i]));
        }
    }
    std::vector<double> medians;
    for (auto& rate : rates) medians.push_back(summarise(std::move(rate), 0).median);
    return medians;
}

}  // namespace plimsoll::profiling
