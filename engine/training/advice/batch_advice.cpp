#include "engine/training/advice/batch_advice.hpp"

#include "engine/training/guides/utilisation.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::training {

std::int64_t share_of_target(std::int64_t target, std::int64_t cards) {
    return std::max<std::int64_t>(1, (target + cards / 2) / cards);
}

Result<AccumulationAdvice> advise_accumulation(std::int64_t max_batch, std::int64_t target,
                                               std::int64_t cards) {
    if (max_batch < 1) return fail(Errc::invalid_input, "The batch must be at least 1.", "/batch");
    if (target < 1 || target > 1'000'000'000)
        return fail(Errc::invalid_input, "The target effective batch must be between 1 and 1e9.",
                    "/target_effective_batch");
    if (cards < 1)
        return fail(Errc::invalid_input, "The number of GPUs must be at least 1.", "/cards");
    const auto share = share_of_target(target, cards);
    const auto batch = std::min(max_batch, share);
    const auto at_once = batch * cards;
    AccumulationAdvice a;
    const auto below = std::min(batch, std::max<std::int64_t>(1, target / cards));
    a.floor = {below, std::max<std::int64_t>(1, target / (below * cards)), cards};
    a.nearest = {batch, std::max<std::int64_t>(1, (target + at_once / 2) / at_once), cards};
    // The largest divisor of the target that fits: 1 always does.
    if (target % cards != 0) return a;
    for (std::int64_t steps = (share + batch - 1) / batch; steps <= share; ++steps)
        if (share % steps == 0) {
            a.exact = Accumulation{share / steps, steps, cards};
            break;
        }
    return a;
}

LoaderAdvice advise_loader(int cores, bool heavy_preprocessing, std::int64_t batch_bytes,
                           std::int64_t host_ram_bytes, bool text) {
    LoaderAdvice a;
    a.workers = utilisation::loader_workers(cores, heavy_preprocessing);
    a.prefetch = a.workers > 0 ? utilisation::kPrefetch : 0;
    a.persistent_workers = a.workers > 0;
    a.host_bytes = a.workers * a.prefetch * batch_bytes;
    a.host_memory_tight = host_ram_bytes > 0 && a.host_bytes > host_ram_bytes / 2;
    // Nothing else runs then, so the guide's rule for heavy preprocessing applies.
    if (text) a.tokenizer_processes = std::max(1, utilisation::loader_workers(cores, true));
    return a;
}

std::int64_t parallel_runs(std::int64_t card_bytes, double safety, std::int64_t elsewhere,
                           std::int64_t each) {
    if (each <= 0) return 0;
    const auto room = std::floor(static_cast<double>(card_bytes) * safety);
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(room) - elsewhere) / each;
}

Result<Lengths> summarise(std::vector<LengthBin> histogram, int cut_at) {
    std::int64_t all = 0;
    for (const auto& bin : histogram) {
        if (bin.tokens < 1 || bin.samples < 0 || bin.samples > 1'000'000'000'000)
            return fail(Errc::invalid_input,
                        "A bin must have at least 1 token and 0 to 1e12 samples.", "/tokens");
        all += bin.samples;
    }
    if (all == 0) return fail(Errc::invalid_input, "The histogram has no samples.", "");
    std::ranges::sort(histogram, {}, &LengthBin::tokens);
    Lengths out;
    std::int64_t seen = 0, cut = 0;
    double tokens = 0;
    for (const auto& bin : histogram) {
        if (bin.samples == 0) continue;
        const int kept = cut_at > 0 ? std::min(bin.tokens, cut_at) : bin.tokens;
        if (kept < bin.tokens) cut += bin.samples;
        // The first length below which 95 % lie.
        if (static_cast<double>(seen) < 0.95 * static_cast<double>(all)) out.p95 = kept;
        seen += bin.samples;
        tokens += static_cast<double>(kept) * static_cast<double>(bin.samples);
        out.longest = kept;
    }
    out.mean = tokens / static_cast<double>(all);
    out.cut_share = static_cast<double>(cut) / static_cast<double>(all);
    return out;
}

}  // namespace plimsoll::training
