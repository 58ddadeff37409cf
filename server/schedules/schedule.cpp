#include "server/schedules/schedule.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::schedules {
namespace {

constexpr std::array<std::string_view, 3> kMisfires = {"skip", "once", "all"};
constexpr std::array<std::string_view, 4> kOverlaps = {"allow", "skip", "cancel", "queue"};

template <std::size_t N>
std::size_t index_of(const std::array<std::string_view, N>& words, std::string_view text) {
    return static_cast<std::size_t>(std::ranges::find(words, text) - words.begin());
}

}  // namespace

std::string_view to_string(Misfire misfire) {
    return kMisfires.at(static_cast<std::size_t>(misfire));
}

std::string_view to_string(Overlap overlap) {
    return kOverlaps.at(static_cast<std::size_t>(overlap));
}

Misfire parse_misfire(std::string_view text) {
    return static_cast<Misfire>(index_of(kMisfires, text));
}

Overlap parse_overlap(std::string_view text) {
    return static_cast<Overlap>(index_of(kOverlaps, text));
}

}  // namespace plimsoll::schedules
