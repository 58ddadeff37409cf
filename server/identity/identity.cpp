#include "server/identity/identity.hpp"

namespace plimsoll::identity {
namespace {

constexpr std::array<std::string_view, 4> kRoles = {"viewer", "member", "admin", "owner"};

}  // namespace

std::string_view to_string(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

std::optional<Role> parse_role(std::string_view text) {
    for (std::size_t i = 0; i < kRoles.size(); ++i)
        if (kRoles[i] == text) return static_cast<Role>(i);
    return std::nullopt;
}

}  // namespace plimsoll::identity
