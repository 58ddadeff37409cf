#pragma once

#include "engine/text/record_scanner.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Rules for records of every file format.
namespace plimsoll::text {

// "Line 7: <what>", `message` begins in lower case.
RawRecord failed_raw_record(std::uint64_t line, std::string_view code, std::string_view message);

// The rule that a record's ID or text breaks, if any (UTF-8, length of the ID).
std::optional<RecordError> broken_rule(const Record& record, const ReaderLimits& limits);

}  // namespace plimsoll::text
