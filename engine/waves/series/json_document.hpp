#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::waves {

struct CsvOfDocument {
    std::string csv;
    std::string told;  // what is guessed, in words
};

// The prices in an answer of a service, or in a table that a library saved, as a table in CSV with
// names of columns; nothing where none are recognized. Read are lists of bars below other members,
// lists of rows without names (time, then open, high, low and close in any order), members that are
// columns, and objects whose keys are dates. Of several tables, each is a symbol with its key's
// name.
std::optional<CsvOfDocument> csv_of_document(const nlohmann::json& document);

}  // namespace plimsoll::waves
