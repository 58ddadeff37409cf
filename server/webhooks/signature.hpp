#pragma once

#include <string>
#include <string_view>

// Signs notices as specified by "Standard Webhooks" 1.0 (standardwebhooks.com), so that receivers
// can verify them with that project's libraries.
namespace plimsoll::webhooks {

constexpr std::size_t kSecretBytes = 32;

std::string base64(std::string_view data);

// From the operating system's random source.
std::string make_secret();

// "whsec_" and base64: the form shown to users and accepted by those libraries.
std::string shown(std::string_view secret);

// The field webhook-signature: "v1," and the base64 of HMAC-SHA256 over "<id>.<timestamp>.<body>".
// `timestamp` is in seconds since 1970, as in the field webhook-timestamp.
std::string signature(std::string_view secret, std::string_view id, std::string_view timestamp,
                      std::string_view body);

}  // namespace plimsoll::webhooks
