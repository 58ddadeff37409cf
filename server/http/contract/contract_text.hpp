#pragma once

#include <string_view>

// openapi.yaml as it was when the server was built. Defined by a file that the build generates.
namespace plimsoll::http {

std::string_view contract_yaml();
std::string_view contract_json();

}  // namespace plimsoll::http
