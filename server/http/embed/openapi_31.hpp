#pragma once

#include <nlohmann/json.hpp>

namespace plimsoll::http {

// Converts the contract from OpenAPI 3.0 to 3.1, for tools that support JSON Schema: null is a
// type, references to nullable objects allow null where they are used, and the rule for a map's
// keys is propertyNames.
nlohmann::ordered_json as_openapi_31(nlohmann::ordered_json document);

}  // namespace plimsoll::http
