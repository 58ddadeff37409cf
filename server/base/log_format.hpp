#pragma once

#include <optional>
#include <string_view>

namespace plimsoll::log {

enum class Format {
    text,  // 2026-03-01T12:00:00.000Z info  [serve] message key=value
    json,  // {"time":"…","level":"info","process":"serve","message":"…","key":"value"}
};

std::optional<Format> parse_format(std::string_view name);

// Sets the format of all later lines. Call before log::start.
void set_format(Format format);

}  // namespace plimsoll::log
