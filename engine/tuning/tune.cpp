#include "engine/tuning/tune.hpp"

#include <chrono>
#include <utility>

namespace plimsoll::tuning {

std::vector<Bucket> products_of_layers(routines::Method method, std::uint32_t hidden,
                                       std::uint32_t intermediate) {
    std::vector<Bucket> buckets;
    for (const auto rows : {1024U, 64U}) {
        for (const auto& [outputs, inputs] : {std::pair{3 * hidden, hidden},
                                              {hidden, hidden},
                                              {intermediate, hidden},
                                              {hidden, intermediate}}) {
            buckets.push_back(bucket_of(method, rows, outputs, inputs));
        }
    }
    return buckets;
}

Result<void> tune(opencl::Programs& programs, std::span<const Bucket> buckets,
                  const SearchLimits& limits, Plans& plans, const OnResult& on_result) {
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto deadline = now() + limits.budget;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const auto& bucket = buckets[i];
        const auto left = std::chrono::floor<std::chrono::milliseconds>(deadline - now());
        if (i != 0 && left.count() <= 0) return {};
        auto own = limits;
        own.budget = left / (buckets.size() - i);
        const auto largest = bucket_of(bucket.method, UINT32_MAX, bucket.n, bucket.k);
        if (bucket != largest && plans.has(largest)) own.packed_as = plans.plan_for(largest);
        TRY(const auto found, search(programs, bucket, own));
        // If there was time for the default only, an earlier plan may be better.
        const bool is_news = found.tried.size() > 1 || !plans.has(bucket);
        if (is_news) plans.keep(bucket, found.best);
        on_result(bucket, found);
    }
    return {};
}

}  // namespace plimsoll::tuning
