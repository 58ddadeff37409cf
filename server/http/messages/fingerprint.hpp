#pragma once

#include <string>
#include <string_view>

namespace plimsoll::http {

// SHA-256, 32 bytes: tells bodies and files apart.
std::string fingerprint(std::string_view content);

// Its first half in hexadecimal digits, quoted: an ETag.
std::string content_etag(std::string_view content);

}  // namespace plimsoll::http
