#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::http {

// One range of a Range header as it was asked for (RFC 9110, 14.1.2).
struct ByteRange {
    std::optional<std::uint64_t> first;  // none: the last `last` bytes
    std::optional<std::uint64_t> last;   // none: to the end
};

// Bytes of a body, both ends included.
struct Slice {
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    std::uint64_t size() const { return last - first + 1; }
};

// Nothing for what a server may ignore: another unit, more than one range, or no range at all.
std::optional<ByteRange> parse_byte_range(std::string_view header);

// What a body of `total` bytes has of it; nothing when it has none of it (416).
std::optional<Slice> slice_of(const ByteRange& range, std::uint64_t total);

// The value of Content-Range.
std::string content_range(const Slice& slice, std::uint64_t total);

}  // namespace plimsoll::http
