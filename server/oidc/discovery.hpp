#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>

namespace plimsoll::oidc {

// A provider's metadata (OpenID Connect Discovery 1.0, 3). Addresses are https, or http where the
// issuer's is.
struct Discovered {
    std::string authorization_endpoint;
    std::string token_endpoint;
    std::string jwks_uri;
    std::string userinfo_endpoint;     // may be empty
    std::string end_session_endpoint;  // may be empty
    bool basic = true;                 // the client's secret goes into the Authorization field
    bool names_itself = false;         // in its responses (RFC 9207)
};

// Where the document of an issuer is.
std::string discovery_url(std::string_view issuer);

// Errc::corrupt says what is wrong, or what the provider cannot do.
Result<Discovered> parse_discovery(std::string_view text, const std::string& issuer);

}  // namespace plimsoll::oidc
