#include "server/webhooks/retry.hpp"

#include <array>

namespace plimsoll::webhooks {

std::optional<std::chrono::milliseconds> pause_after(int attempt, double chance) {
    using namespace std::chrono_literals;
    constexpr std::array<std::chrono::milliseconds, kMostAttempts - 1> kPauses = {
        2s, 15s, 1min, 5min, 30min, 2h, 8h};
    if (attempt < 1 || attempt >= kMostAttempts) return std::nullopt;
    const auto pause = kPauses[static_cast<std::size_t>(attempt - 1)];
    return std::chrono::duration_cast<std::chrono::milliseconds>(pause * (1 + chance / 4));
}

}  // namespace plimsoll::webhooks
