#include "engine/training/advice/lengths.hpp"

#include <algorithm>

namespace plimsoll::training {

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
