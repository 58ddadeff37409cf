#include "engine/opencl/memory/free_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace plimsoll::opencl {

std::optional<FreeRanges::Range> FreeRanges::take(std::uint64_t bytes) {
    const auto found =
        std::ranges::find_if(ranges_, [&](const auto& range) { return range.second >= bytes; });
    if (bytes == 0 || found == ranges_.end()) return std::nullopt;
    const auto [offset, room] = *found;
    ranges_.erase(found);
    if (room > bytes) ranges_.emplace(offset + bytes, room - bytes);
    free_ -= bytes;
    return Range{offset, bytes};
}

void FreeRanges::give_back(Range range) {
    free_ += range.bytes;
    auto after = ranges_.lower_bound(range.offset);
    if (after != ranges_.end() && after->first == range.offset + range.bytes) {
        range.bytes += after->second;
        after = ranges_.erase(after);
    }
    if (after != ranges_.begin()) {
        const auto before = std::prev(after);
        if (before->first + before->second == range.offset) {
            before->second += range.bytes;
            return;
        }
    }
    ranges_.emplace(range.offset, range.bytes);
}

std::uint64_t FreeRanges::largest() const {
    std::uint64_t most = 0;
    for (const auto& [offset, bytes] : ranges_) most = std::max(most, bytes);
    return most;
}

}  // namespace plimsoll::opencl
