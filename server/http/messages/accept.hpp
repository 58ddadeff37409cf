#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::http {

// The offered media type that an Accept header prefers: highest q, then the more specific range,
// then the order of `offered`. The first one if none is acceptable: generated clients often name
// only the type of errors, and a representation that was not requested helps more than none
// (RFC 9110, 12.4.1).
std::string negotiate(std::string_view accept, const std::vector<std::string>& offered);

// Whether an Accept-Encoding header allows this content coding.
bool accepts_encoding(std::string_view accept_encoding, std::string_view coding);

}  // namespace plimsoll::http
