#pragma once

#include "engine/base/result.hpp"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::terminal {

// A YAML file (and so a JSON one) as JSON: plain scalars that are valid JSON numbers, true, false
// or null become these, all others text.
Result<nlohmann::json> read_yaml(const std::string& file);

}  // namespace plimsoll::terminal
