#include "server/planning/refusal.hpp"

namespace plimsoll::planning {

std::string to_text(const Refusal& refusal) {
    if (refusal.arguments.empty()) return refusal.error.message;
    const auto& first = refusal.arguments.front();
    return first.pointer + ": " + first.message;
}

}  // namespace plimsoll::planning
