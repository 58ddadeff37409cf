#pragma once

#include <ostream>

#include <nlohmann/json.hpp>

namespace plimsoll::http {

// Writes the table behind http::argument_flags(): every argument of a kind with x-flag.
void write_argument_flags(std::ostream& out, const nlohmann::ordered_json& document);

}  // namespace plimsoll::http
