#include "server/http/api/cursors.hpp"

#include "server/identity/secret.hpp"

namespace plimsoll::http {

Cursors::Cursors(std::string key, std::string_view operation, std::string_view team)
    : key_(std::move(key)), context_(std::string(operation) + ' ' + std::string(team)) {}

std::string Cursors::seal(std::string_view cursor) const {
    return identity::seal(key_, context_, cursor);
}

Outcome<std::string> Cursors::open(std::string_view sealed) const {
    auto cursor = identity::unseal(key_, context_, sealed);
    if (!cursor) return tl::unexpected(invalid_cursor());
    return std::move(*cursor);
}

}  // namespace plimsoll::http
