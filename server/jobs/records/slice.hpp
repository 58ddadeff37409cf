#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>

namespace plimsoll::jobs {

// A part of a chunk of records, used if a whole chunk would be too much work for a task: of r
// records, those from r * index / count on.
struct Slice {
    int index = 0;
    int count = 1;
};

// The chunk's slice, packed like the chunk, with the places and lines that its records have in the
// whole input. Errc::corrupt for invalid data.
Result<std::string> cut_slice(std::string_view chunk, Slice slice);

}  // namespace plimsoll::jobs
