#pragma once

#include <string_view>

// openapi.yaml as embedded at build time, in a generated source file.
namespace plimsoll::http {

std::string_view contract_yaml();
std::string_view contract_json();
std::string_view contract_json_31();  // derived: OpenAPI 3.1

}  // namespace plimsoll::http
