#pragma once

#include <nlohmann/json.hpp>

namespace plimsoll::http {

// The contract, which is OpenAPI 3.0, as 3.1, for tools that know JSON Schema: null is a type, an
// object that may be null says so where it is used, and the rule for a map's keys is propertyNames.
nlohmann::ordered_json as_openapi_31(nlohmann::ordered_json document);

}  // namespace plimsoll::http
