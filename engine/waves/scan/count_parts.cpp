#include "engine/waves/scan/count_parts.hpp"

#include "engine/waves/scoring/compatible_score.hpp"
#include "engine/waves/scoring/unfinished.hpp"
#include "engine/waves/search/patterns.hpp"
#include "engine/waves/search/plan.hpp"

#include <stdexcept>

namespace plimsoll::waves {
namespace {

// Calls f with the place of the pattern in its family, as a constant.
template <const auto& F, class Use>
bool with_pattern(Shape shape, Use&& use) {
    bool found = false;
    plan::each<F.patterns.size()>([&](auto p) {
        if (F.patterns[p].shape != shape) return;
        found = true;
        use(p);
    });
    return found;
}

template <const auto& F>
Parts compatible_parts(const Path& path, Shape shape) {
    Parts parts;
    with_pattern<F>(shape, [&](auto p) {
        constexpr const Pattern& kPattern = F.patterns[p];
        parts = CompatibleScore::parts<kPattern.shape>(kPattern, path);
    });
    return parts;
}

}  // namespace

const Pattern* find_pattern(Shape shape, bool rising, Mode mode) {
    const Pattern* pattern = nullptr;
    if (mode == Mode::standard)
        with_pattern<standard::kPatterns>(
            shape, [&](auto p) { pattern = &standard::kPatterns.patterns[p]; });
    else if (rising)
        with_pattern<compatible::kRising>(
            shape, [&](auto p) { pattern = &compatible::kRising.patterns[p]; });
    else
        with_pattern<compatible::kFalling>(
            shape, [&](auto p) { pattern = &compatible::kFalling.patterns[p]; });
    return pattern;
}

Guard guard_of(int wave, bool rising, Mode mode) {
    const auto of = [wave](const auto& family) {
        return wave % 2 == 1 ? family.rises : family.falls;
    };
    if (mode == Mode::standard) return of(standard::kPatterns);
    return rising ? of(compatible::kRising) : of(compatible::kFalling);
}

Path path_of(const BarTable& table, const Found& found) {
    return make_path(table.seen(found.rising),
                     std::span(found.at).first(static_cast<std::size_t>(found.waves) + 1));
}

std::vector<int> skips_of(const Path& path, int waves) {
    std::vector<int> skips;
    for (int wave = 1; wave <= waves; ++wave) {
        const bool rise = wave % 2 == 1;
        const Bar& from = path.bars[path.at[wave - 1]];
        const std::int32_t end = path.at[wave];
        const Link& origin = rise ? from.rise : from.fall;
        int skip = rise ? from.rise_first_skip : from.fall_first_skip;
        std::int32_t at = origin.first;
        // A window may end a shortest wave before its time.
        if (skip == 0 && at != kNever && end < at) at = end;
        while (at != kNever && at < end) {
            at = (rise ? path.bars[at].rise : path.bars[at].fall).next;
            ++skip;
        }
        skips.push_back(at == end ? skip : -1);
    }
    return skips;
}

Parts count_parts(const BarTable& table, const Found& found, Mode mode) {
    const Pattern* pattern = find_pattern(found.shape, found.rising, mode);
    if (pattern == nullptr) throw std::logic_error("a count of a pattern that the mode lacks");
    const Path path = path_of(table, found);
    if (mode == Mode::compatible)
        return found.rising ? compatible_parts<compatible::kRising>(path, found.shape)
                            : compatible_parts<compatible::kFalling>(path, found.shape);
    Parts parts;
    with_pattern<standard::kPatterns>(found.shape, [&](auto p) {
        constexpr Shape kShape = standard::kPatterns.patterns[p].shape;
        parts = found.waves < pattern->waves ? unfinished_parts<kShape>(*pattern, path, found.waves)
                                             : StandardScore::parts<kShape>(*pattern, path);
    });
    return parts;
}

}  // namespace plimsoll::waves
