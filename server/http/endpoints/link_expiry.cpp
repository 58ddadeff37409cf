#include "server/http/endpoints/link_expiry.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {
namespace {

Refused bad_link_expiry(const std::string& detail) {
    return Refused(invalid_member("/expires_at", detail));
}

}  // namespace

Timestamp link_expiry(const Call& call, Timestamp now, const LinkLifetime& life) {
    const auto own = life.within_credential ? call.principal.expires_at : std::nullopt;
    const auto given = call.body.find("expires_at");
    if (given == call.body.end()) {
        const auto standard = now + life.standard;
        return own ? std::min(*own, standard) : standard;
    }
    const auto end = parse_rfc3339(given->get_ref<const std::string&>());
    if (!end || *end <= now) throw bad_link_expiry("must be an RFC 3339 time in the future");
    if (*end > now + life.longest) {
        const auto days = std::chrono::duration_cast<std::chrono::days>(life.longest).count();
        throw bad_link_expiry("must be at most " + std::to_string(days) + " days from now");
    }
    if (own && *end > *own) {
        throw bad_link_expiry("is later than " + to_rfc3339(*own) +
                              ", when the requesting token expires");
    }
    return *end;
}

}  // namespace plimsoll::http::endpoints
