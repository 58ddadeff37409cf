#include "server/http/messages/byte_range.hpp"

#include <algorithm>
#include <charconv>

namespace plimsoll::http {
namespace {

constexpr std::string_view kUnit = "bytes=";

// False: the text is not a number. An empty text is a missing number.
bool read(std::string_view text, std::optional<std::uint64_t>& number) {
    if (text.empty()) return true;
    std::uint64_t value = 0;
    const auto* begin = text.data();
    const auto* end = begin + text.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || stop != end) return false;
    number = value;
    return true;
}

}  // namespace

std::optional<ByteRange> parse_byte_range(std::string_view header) {
    if (!header.starts_with(kUnit)) return std::nullopt;
    header.remove_prefix(kUnit.size());
    const auto dash = header.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    ByteRange range;
    if (!read(header.substr(0, dash), range.first)) return std::nullopt;
    if (!read(header.substr(dash + 1), range.last)) return std::nullopt;
    if (!range.first && !range.last) return std::nullopt;
    if (range.first && range.last && *range.last < *range.first) return std::nullopt;
    return range;
}

std::optional<Slice> slice_of(const ByteRange& range, std::uint64_t total) {
    if (!range.first) {
        if (*range.last == 0 || total == 0) return std::nullopt;
        return Slice{total - std::min(*range.last, total), total - 1};
    }
    if (*range.first >= total) return std::nullopt;
    return Slice{*range.first, std::min(range.last.value_or(total - 1), total - 1)};
}

std::string content_range(const Slice& slice, std::uint64_t total) {
    return "bytes " + std::to_string(slice.first) + '-' + std::to_string(slice.last) + '/' +
           std::to_string(total);
}

}  // namespace plimsoll::http
