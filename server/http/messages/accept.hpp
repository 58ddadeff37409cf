#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::http {

// The offered media type that an Accept header prefers: highest q, then the more specific range,
// then the order of `offered`. The first one if the header names none; nullopt if none is
// acceptable.
std::optional<std::string> negotiate(std::string_view accept,
                                     const std::vector<std::string>& offered);

// Whether a response of one of these types, or without a body, suits an Accept header. The type of
// problems suits all: generated clients often name no other, because it is the only one of the
// operation's that has "json" in its name.
bool is_acceptable(std::string_view accept, const std::vector<std::string>& types);

// Whether an Accept-Encoding header allows this content coding.
bool accepts_encoding(std::string_view accept_encoding, std::string_view coding);

}  // namespace plimsoll::http
