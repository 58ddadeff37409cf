#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::http {

// The offered media type that an Accept header likes best (highest q; among equals the more
// specific range, then the order of `offered`). Nothing when it refuses them all.
std::optional<std::string> negotiate(std::string_view accept,
                                     const std::vector<std::string>& offered);

// Whether an Accept-Encoding header takes this content coding.
bool accepts_encoding(std::string_view accept_encoding, std::string_view coding);

}  // namespace plimsoll::http
