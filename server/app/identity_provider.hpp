#pragma once

#include "server/app/settings.hpp"
#include "server/oidc/provider.hpp"

#include <optional>

namespace plimsoll::app {

// How this server is registered with the identity provider; nullopt: there is none. Reads files:
// Errc::invalid_input names one that cannot be used.
Result<std::optional<oidc::Registration>> identity_provider(const Settings::Oidc& settings);

}  // namespace plimsoll::app
