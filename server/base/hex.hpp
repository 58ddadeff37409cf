#pragma once

#include <string>
#include <string_view>

namespace plimsoll {

// Two lower-case hexadecimal digits per byte.
std::string hex(std::string_view bytes);

}  // namespace plimsoll
