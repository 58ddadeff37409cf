#pragma once

#include <nlohmann/json.hpp>

namespace plimsoll {

using nlohmann::json;

}  // namespace plimsoll
