#include "engine/training/estimate/reserved_peaks.hpp"

#include <algorithm>

namespace plimsoll::training {

std::int64_t ReservedPeaks::operator()(const Tape& tape, const EstimateOptions& options) {
    places_.assign(tape.buffers.size(), 0);
    for (const bool small : {false, true})
        pools_[small ? 1 : 0].clear(small, options.allocator.max_split == 0);
    const auto deal = [&](const std::vector<Event>& list) {
        for (const auto& e : list) {
            const auto buffer = static_cast<std::size_t>(e.buffer);
            const auto bytes = CachingAllocator::rounded(tape.buffers[buffer].bytes);
            auto& pool = pools_[CachingAllocator::is_small(bytes) ? 1 : 0];
            if (e.allocates)
                pool.allocate(places_[buffer], bytes);
            else
                pool.free(places_[buffer]);
        }
    };
    deal(tape.setup);
    deal(tape.first);
    for (auto& pool : pools_) pool.begin_later_steps();
    deal(tape.later);
    std::int64_t sum =
        0;  // without a limit nothing is released: the pools' peaks are their final sizes
    for (std::size_t i = 0; i < pools_.size(); ++i) {
        auto& pool = pools_[i];
        pool.finish();
        auto& outcomes = known_[i][pool.digest()];
        auto known = std::ranges::find_if(outcomes, [&](const auto& it) { return pool.holds(it); });
        if (known == outcomes.end()) known = outcomes.insert(outcomes.end(), pool.replay(options));
        sum += known->reserved;
    }
    return sum;
}

}  // namespace plimsoll::training
