#pragma once

#include "engine/text/record_reader.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// What holds for a record whatever its file format.
namespace plimsoll::text {

ReadRecord failed_record(std::uint64_t line, std::string_view code, std::string_view message);

// Replaces the record by an error where its id or text breaks a rule (UTF-8, length of the id).
ReadRecord checked_record(Record record, std::uint64_t line, const ReaderLimits& limits);

}  // namespace plimsoll::text
