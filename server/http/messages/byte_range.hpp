#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::http {

// One requested range of a Range header (RFC 9110, 14.1.2).
struct ByteRange {
    std::optional<std::uint64_t> first;  // none: the last `last` bytes
    std::optional<std::uint64_t> last;   // none: to the end
};

// A byte range of a body, both ends inclusive.
struct Slice {
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    std::uint64_t size() const { return last - first + 1; }
};

// nullopt for what a server may ignore: another unit, several ranges, or malformed text.
std::optional<ByteRange> parse_byte_range(std::string_view header);

// The part of a body of `total` bytes in the range; nullopt if it is empty (416).
std::optional<Slice> slice_of(const ByteRange& range, std::uint64_t total);

// The value of Content-Range.
std::string content_range(const Slice& slice, std::uint64_t total);

}  // namespace plimsoll::http
