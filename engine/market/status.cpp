#include "engine/market/status.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::market {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"pre_market", "regular", "after_hours",
                                                    "closed"};

}  // namespace

std::string_view to_string(Status status) {
    return kNames[static_cast<std::size_t>(status)];
}

std::optional<Status> parse_status(std::string_view name) {
    const auto* const found = std::ranges::find(kNames, name);
    if (found == kNames.end()) return std::nullopt;
    return static_cast<Status>(found - kNames.begin());
}

}  // namespace plimsoll::market
