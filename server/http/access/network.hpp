#pragma once

#include <string>

namespace plimsoll::http {

// A client's network, as limits count it: an IPv4 address, or the /64 of an IPv6 address, the
// smallest network that a provider's customer has. `address`: numeric; anything else is returned
// unchanged.
std::string network_of(const std::string& address);

}  // namespace plimsoll::http
