#include "engine/transformer/interleaved_timing.hpp"

#include <algorithm>
#include <limits>

namespace plimsoll::transformer {

Result<std::vector<double>> best_seconds(std::span<const Work> works, std::size_t rounds,
                                         const Now& now) {
    std::vector<double> min(works.size(), std::numeric_limits<double>::infinity());
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t turn = 0; turn < works.size(); ++turn) {
            const auto at = round % 2 == 0 ? turn : works.size() - 1 - turn;
            const auto began = now();
            TRY_DO(works[at]());
            const double seconds = std::chrono::duration<double>(now() - began).count();
            min[at] = std::min(min[at], seconds);
        }
    }
    return min;
}

}  // namespace plimsoll::transformer
