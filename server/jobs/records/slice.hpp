#pragma once

#include "engine/base/result.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// The slices at the ascending `indices` of `count`, in their order. Unpacks the chunk once, which
// takes longer than scoring a slice of it on a GPU.
Result<std::vector<std::string>> cut_slices(std::string_view chunk, std::span<const int> indices,
                                            int count);

}  // namespace plimsoll::jobs
