#pragma once

#include "engine/text/attributes.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::text {

// Why an input item cannot be used. It replaces the item, so that results have one entry per input
// item.
struct RecordError {
    std::string code;     // short and stable: "too_large", "invalid_utf8"
    std::string message;  // a full sentence for people
};

// A null in the place of a text.
inline constexpr std::string_view kEmptyText = "empty_text";

// One input item: a text with the caller's own ID and attributes, or an error in its place.
struct Record {
    std::optional<std::string> custom_id;
    Attributes<std::optional<std::string>> attributes = {};  // as given
    std::string text;  // valid UTF-8; empty when `error` is set
    std::optional<RecordError> error;
    std::uint64_t line = 0;  // where it starts in its file, from 1; 0: not from a file
};

}  // namespace plimsoll::text
