#include "engine/text/record_rules.hpp"

#include "engine/text/utf8.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::text {
namespace {

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

ReadRecord failed_record(std::uint64_t line, std::string_view code, std::string_view message) {
    ReadRecord failed;
    failed.line = line;
    failed.record.error = RecordError{std::string(code),
                                      "Line " + std::to_string(line) + ": " + std::string(message)};
    return failed;
}

ReadRecord checked_record(Record record, std::uint64_t line, const ReaderLimits& limits) {
    if (find_invalid_utf8(record.text)) {
        return failed_record(line, "invalid_utf8", "the text is not UTF-8.");
    }
    if (record.custom_id) {
        if (find_invalid_utf8(*record.custom_id)) {
            return failed_record(line, "invalid_utf8", "the custom id is not UTF-8.");
        }
        if (characters(*record.custom_id) > limits.custom_id_characters) {
            return failed_record(line, "custom_id_too_long",
                                 "the custom id has more than " +
                                     std::to_string(limits.custom_id_characters) + " characters.");
        }
    }
    return {std::move(record), line};
}

}  // namespace plimsoll::text
