#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// The fields of one record from CsvScanner, whose quotes are well-formed.
namespace plimsoll::text {

// What may separate the fields of a file; the first wins a tie.
inline constexpr std::string_view kCsvDelimiters = ",;\t|";

// All of them, without the quotes around them.
std::vector<std::string> csv_fields(std::string_view record, char delimiter = ',');

// Appends a record with these fields, separated by commas and quoted where they must be.
void append_csv_record(std::string& out, const std::vector<std::string>& fields);

// One of them, from 0; empty if there are fewer.
std::string csv_field(std::string_view record, std::size_t position);

}  // namespace plimsoll::text
