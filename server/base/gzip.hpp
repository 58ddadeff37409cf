#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll {

// One whole gzip member. Members may be concatenated: together they decompress to the concatenation
// of their contents. The output depends on `data` alone (no time stamp, no name).
std::string gzip(std::string_view data);

// Everything that one or more concatenated members hold. Errc::too_large beyond max_bytes,
// Errc::corrupt when the data are damaged or end early.
Result<std::string> gunzip(std::string_view compressed, std::size_t max_bytes);

}  // namespace plimsoll
