#include "engine/text/record_rules.hpp"

#include "engine/text/utf8.hpp"

#include <algorithm>

namespace plimsoll::text {
namespace {

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

RawRecord failed_raw_record(std::uint64_t line, std::string_view code, std::string_view message) {
    return {{},
            line,
            RecordError{std::string(code),
                        "Line " + std::to_string(line) + ": " + std::string(message)}};
}

std::optional<RecordError> broken_rule(const Record& record, const ReaderLimits& limits) {
    if (find_invalid_utf8(record.text)) {
        return RecordError{"invalid_utf8", "The text is not UTF-8."};
    }
    if (const auto& kept = record.attributes[Attribute::kept];
        kept && kept->size() > limits.kept_bytes) {
        return RecordError{"invalid_record", "The kept columns have more than " +
                                                 std::to_string(limits.kept_bytes) + " bytes."};
    }
    for (const auto attribute : kColumnAttributes) {
        const auto& value = record.attributes[attribute];
        if (!value) continue;
        const auto name = "The " + std::string(name_of(attribute));
        if (find_invalid_utf8(*value)) return RecordError{"invalid_utf8", name + " is not UTF-8."};
        if (characters(*value) > limits.custom_id_characters) {
            return RecordError{"invalid_record", name + " has more than " +
                                                     std::to_string(limits.custom_id_characters) +
                                                     " characters."};
        }
    }
    if (!record.custom_id) return std::nullopt;
    if (find_invalid_utf8(*record.custom_id)) {
        return RecordError{"invalid_utf8", "The custom_id is not UTF-8."};
    }
    if (characters(*record.custom_id) > limits.custom_id_characters) {
        return RecordError{"custom_id_too_long", "The custom_id has more than " +
                                                     std::to_string(limits.custom_id_characters) +
                                                     " characters."};
    }
    return std::nullopt;
}

}  // namespace plimsoll::text
