#pragma once

#include <string>
#include <string_view>

namespace plimsoll::http {

// SHA-256 of a body or file, 32 bytes.
std::string fingerprint(std::string_view content);

// Its first half in hexadecimal digits, quoted: an ETag.
std::string content_etag(std::string_view content);

}  // namespace plimsoll::http
